/* Checks that end the tests' programs if something is not as it should be. */

#include <polyseal.h>
#include <stdio.h>

#define EXPECT(condition)                                                                      \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition,                         \
                    polyseal_last_error_text());                                               \
            return 1;                                                                          \
        }                                                                                      \
    } while (0)

/* The call must fail, with this error. */
#define FAILS(call, error)                                                                     \
    do {                                                                                       \
        EXPECT((call) == -1);                                                                  \
        EXPECT(polyseal_last_error() == (error));                                              \
    } while (0)
