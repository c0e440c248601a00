/* Stands before liboqs' speed programs, whose sources stay as they are: what they take for the time of day and for a clock are
   functions of ours. Their counted section then reads the counter that the bench reads, and their loops run a given number of times. */
#ifndef PQ_BENCH_COUNT_H
#define PQ_BENCH_COUNT_H
#define gettimeofday pq_bench_gettimeofday
#define clock_gettime pq_bench_clock_gettime
#endif
