/*-------------------------------------------------------------------------
 *
 * client_sessions.c
 *		Whose a pid was, for t/unit/client_sessions.pl.
 *
 * Three sessions registered at the time 100.  Each pair of arguments is a pid
 * and a time; the output has the application_name of that process, or "-".
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "stats/clients.h"

#define SESSIONS	3

int
main(int argc, char **argv)
{
	static const char *const names[SESSIONS] = {"one", "two", "three"};
	ClientSessions *sessions =
	calloc(1, offsetof(ClientSessions, session) +
		   SESSIONS * sizeof(ClientSession));

	for (int i = 0; i < SESSIONS; i++)
	{
		ClientSession *session = &sessions->session[sessions->n++];

		session->pid = 10 * (i + 1);
		session->registered_at = 100;
		strcpy(session->key.application_name, names[i]);
	}
	for (int i = 1; i + 1 < argc; i += 2)
	{
		const ClientSession *session =
		clients_find_session(sessions, atoi(argv[i]),
							 strtoull(argv[i + 1], NULL, 10));

		printf("%s ",
			   session == NULL ? "-" : session->key.application_name);
	}
	return 0;
}
