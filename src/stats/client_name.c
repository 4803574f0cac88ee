/*-------------------------------------------------------------------------
 *
 * client_name.c
 *		The name of the client of this process.
 *
 *	given name	commit_stats.client_tag or, if that is empty, application_name
 *	rule		commit_stats.client_name_pattern: s/REGEX/REPLACEMENT/FLAGS, as
 *				sed has it.  Any other character may stand in place of the
 *				slashes, and stands nowhere else.
 *	name		what the rule makes of the given name
 *
 * A name consists of printable ASCII characters, as the server makes
 * application_name: databases with other encodings show it, too.  So does the
 * rule, and the regular expression has the collation "C".
 *
 * The assign hook of each setting makes clients.c compare at the next commit;
 * no other commit looks at them.  The rule is applied to new given names only.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "regex/regex.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "stats/clients.h"

#define MAX_RULE		255		/* bytes */

/* The setting, whose delimiters have become ends of its parts. */
typedef struct Rule
{
	char		regex[MAX_RULE + 1];
	char	   *replacement;
	char	   *flags;
} Rule;

static char *client_tag = "";
static char *rule_setting = "";

/* The latest name, of the given one, if "is_known". */
static char given_name[NAMEDATALEN];
static char known_name[NAMEDATALEN];
static bool is_known = false;

/*---- The rule ----------------------------------------------------*/

static bool
is_ascii(const char *text)
{
	while (*text >= ' ' && *text < 127)
		text++;
	return *text == '\0';
}

/* End a part at the delimiter; returns what follows, or NULL. */
static char *
split_off(char *part, char delimiter)
{
	char	   *end = part == NULL ? NULL : strchr(part, delimiter);

	if (end != NULL)
		*end++ = '\0';
	return end;
}

static bool
parse_rule(const char *text, Rule *parsed)
{
	char		delimiter = text[0] == 's' ? text[1] : '\0';

	if (delimiter == '\0' || delimiter == '\\')
		return false;
	strlcpy(parsed->regex, text + 2, sizeof(parsed->regex));
	parsed->replacement = split_off(parsed->regex, delimiter);
	parsed->flags = split_off(parsed->replacement, delimiter);
	return parsed->flags != NULL &&
		parsed->flags[strspn(parsed->flags, "gi")] == '\0';
}

/* The postmaster calls this, too, which has no database. */
static bool
check_rule(char **newval, void **extra, GucSource source)
{
	Rule		parsed;
	pg_wchar	wide[MAX_RULE + 1];
	regex_t		compiled;
	char		message[100];
	int			result;

	if ((*newval)[0] == '\0')
		return true;
	if (strlen(*newval) > MAX_RULE || !is_ascii(*newval))
	{
		GUC_check_errdetail("The value must consist of at most %d printable ASCII characters.",
							MAX_RULE);
		return false;
	}
	if (!parse_rule(*newval, &parsed))
	{
		GUC_check_errdetail("The value is not of the form s/REGEX/REPLACEMENT/ or s/REGEX/REPLACEMENT/g.");
		GUC_check_errhint("If a slash is part of it, use another character in place of the three slashes.");
		return false;
	}
	result = pg_regcomp(&compiled, wide, pg_mb2wchar(parsed.regex, wide),
						REG_ADVANCED |
						(strchr(parsed.flags, 'i') != NULL ? REG_ICASE : 0),
						C_COLLATION_OID);
	if (result != REG_OKAY)
	{
		pg_regerror(result, &compiled, message, sizeof(message));
		GUC_check_errcode(ERRCODE_INVALID_REGULAR_EXPRESSION);
		GUC_check_errdetail("Invalid regular expression: %s.", message);
		return false;
	}
	pg_regfree(&compiled);
	return true;
}

/*---- Names -------------------------------------------------------*/

static void
apply_rule(const char *given, char *name)
{
	Rule		rule;
	Datum		replaced;

	strlcpy(name, given, NAMEDATALEN);
	if (!parse_rule(rule_setting, &rule))
		return;					/* is empty */
	replaced = DirectFunctionCall4Coll(textregexreplace, C_COLLATION_OID,
									   CStringGetTextDatum(given),
									   CStringGetTextDatum(rule.regex),
									   CStringGetTextDatum(rule.replacement),
									   CStringGetTextDatum(rule.flags));
	memset(name, 0, NAMEDATALEN);
	text_to_cstring_buffer(DatumGetTextPP(replaced), name, NAMEDATALEN);
}

/*
 * As application_name.  The server reports the tag to the client, outside of
 * any transaction, where a character that the client's encoding lacks would
 * fail again and again.
 */
static bool
check_tag(char **newval, void **extra, GucSource source)
{
	for (char *c = *newval; *c != '\0'; c++)
		if (*c < ' ' || *c >= 127)
			*c = '?';
	return true;
}

void
client_name_copy(char *name)
{
	char		given[NAMEDATALEN] = {0};

	strlcpy(given, client_tag[0] != '\0' ? client_tag : application_name,
			NAMEDATALEN);
	if (!is_known || strcmp(given, given_name) != 0)
	{
		is_known = false;
		memset(known_name, 0, sizeof(known_name));
		apply_rule(given, known_name);
		strcpy(given_name, given);
		is_known = true;
	}
	memcpy(name, known_name, NAMEDATALEN);
}

static void
assign_tag(const char *newval, void *extra)
{
	clients_look_again();
}

static void
assign_rule(const char *newval, void *extra)
{
	is_known = false;
	clients_look_again();
}

/*
 * RESET ALL and DISCARD ALL, which drivers and poolers send, leave the tag.
 * A pooler can keep it for each of its clients, as the server reports it.
 */
void
client_name_define_settings(void)
{
	DefineCustomStringVariable("commit_stats.client_tag",
							   "Sets the name under which the commits of this session are counted, in place of application_name.",
							   "RESET ALL and DISCARD ALL do not change it.",
							   &client_tag,
							   "",
							   PGC_USERSET,
							   GUC_NO_RESET_ALL | GUC_REPORT | GUC_IS_NAME,
							   check_tag, assign_tag, NULL);
	DefineCustomStringVariable("commit_stats.client_name_pattern",
							   "Changes the names under which commits are counted: s/REGEX/REPLACEMENT/.",
							   "An empty value leaves them.",
							   &rule_setting,
							   "",
							   PGC_SUSET, 0,
							   check_rule, assign_rule, NULL);
}
