/*-------------------------------------------------------------------------
 *
 * delay_pairs.c
 *		Values of commit_delay and commit_siblings to try, from two arrays.
 *
 * Invariant: what comes out of here is in the ranges of the settings.
 *
 * Locking: none; nothing here is shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "base/compat.h"
#include "base/guc.h"
#include "tuning/delay_pairs.h"

/* More than anybody can wait for. */
#define MAX_PAIRS	1000

/* An argument with values of a setting. */
typedef struct ValueList
{
	const char *argument;
	const char *setting;
	int			most;			/* of the setting, whose least is 0 */
	int			n;
	int		   *value;
} ValueList;

static void
refuse_value(const ValueList *list, int value)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%d in \"%s\" is outside the valid range of %s (0 .. %d)",
					value, list->argument, list->setting, list->most)));
}

static void
check_value(const ValueList *list, int value)
{
	if (value < 0 || value > list->most)
		refuse_value(list, value);
	for (int i = 0; i < list->n; i++)
		if (list->value[i] == value)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%s\" has %d twice", list->argument, value)));
}

static void
check_array(const ValueList *list, ArrayType *array)
{
	if (ARR_NDIM(array) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("\"%s\" must be a one-dimensional array with values of %s",
						list->argument, list->setting)));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("\"%s\" must not contain nulls", list->argument)));
	if (ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) > MAX_PAIRS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" has more than %d values", list->argument,
						MAX_PAIRS)));
}

static void
read_values(ValueList *list, ArrayType *array)
{
	Datum	   *datums;
	int			n;

	check_array(list, array);
	deconstruct_array(array, INT4OID, sizeof(int32), true, TYPALIGN_INT,
					  &datums, NULL, &n);
	list->value = palloc(n * sizeof(int));
	for (list->n = 0; list->n < n; list->n++)
	{
		int			value = DatumGetInt32(datums[list->n]);

		check_value(list, value);
		list->value[list->n] = value;
	}
}

/*
 * Every one of "delays" with every one of "siblings"; where that is null, with
 * commit_siblings as this session has it.  Raises an error if there is
 * something in them that is no value of the setting.
 */
void
delay_pairs_make(DelayPairs *pairs, ArrayType *delays, ArrayType *siblings)
{
	ValueList	delay = {"delays", "commit_delay", COMMIT_DELAY_MAX, 0, NULL};
	ValueList	sibling = {"siblings", "commit_siblings", COMMIT_SIBLINGS_MAX, 0, NULL};

	if (delays == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("\"%s\" must not be null", delay.argument)));
	read_values(&delay, delays);
	if (siblings != NULL)
		read_values(&sibling, siblings);
	else
	{
		sibling.n = 1;
		sibling.value = &CommitSiblings;
	}
	if (delay.n * sibling.n > MAX_PAIRS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"delays\" and \"siblings\" make more than %d pairs",
						MAX_PAIRS)));

	pairs->n = 0;
	pairs->pair = palloc(delay.n * sibling.n * sizeof(DelayPair));
	for (int s = 0; s < sibling.n; s++)
		for (int d = 0; d < delay.n; d++)
		{
			pairs->pair[pairs->n].delay = delay.value[d];
			pairs->pair[pairs->n++].siblings = sibling.value[s];
		}
}
