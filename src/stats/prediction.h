/* The newest prediction of commit_remedies(), for the report: prediction.c. */
#ifndef COMMIT_STATS_PREDICTION_H
#define COMMIT_STATS_PREDICTION_H

#include "datatype/timestamp.h"

#define PREDICTION_TEXT		256 /* bytes, with the zero */

typedef struct NewestPrediction
{
	TimestampTz made_at;		/* 0: there is none */
	int			seconds;		/* of the sample */
	int			from_delay;		/* commit_delay it began from; -1: adaptive */
	int			from_siblings;
	int			delay;			/* the best fixed pair; 0: no delay is */
	int			siblings;
	char		text[PREDICTION_TEXT];	/* the first remedy, ASCII */
} NewestPrediction;

extern void prediction_keep(const NewestPrediction *it);
extern void prediction_read(NewestPrediction *it);

#endif							/* COMMIT_STATS_PREDICTION_H */
