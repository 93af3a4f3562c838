/* Steps and ends of blocks that no instruction performs, in an executable: most of them fail.
 *
 * Implements foreign/steps.h, foreign/ends.h, foreign/raised.h and foreign/reversing.h.
 */
#ifndef CK_ALONE_STEPS_H
#define CK_ALONE_STEPS_H

#include "foreign/ends.h"
#include "foreign/raised.h"
#include "foreign/reversing.h"
#include "foreign/steps.h"

#endif
