/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cable between two network namespaces that can lose, delay and hold up frames: a TAP interface at
 * each end, and this program between them. Prints "ready", then obeys one line of its input after the
 * other and answers each with "ok":
 *
 *   impair LOSS_PPM DELAY_US BITS_PER_SECOND   of each direction; 0 is none, for the rate no limit
 *   hole MS                                    from now on for so long nothing passes, either way
 *   repeats MS                                 from now on for so long no frame of an established TCP
 *                                              connection passes; SYN, RST and other protocols do
 *   carrier 0|1                                what both ends see of it; without one nothing passes
 *
 * Ends with its input, and the interfaces with it.
 *
 * usage: cable-relay NETNS INTERFACE NETNS INTERFACE SEED
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FRAME = 65536 + 64, MOST_QUEUED_BYTES = 256 << 10, READS = 64 };

struct frame {
  struct frame *next;
  int64_t due_ns;
  size_t bytes;
  unsigned char data[];
};

struct direction {
  int from;
  int to;
  struct frame *head;
  struct frame **tail;
  size_t queued_bytes;
  int64_t line_free_ns;
};

static int64_t loss_ppm, delay_ns, bits_per_second, hole_until_ns, repeats_until_ns;
static int is_cut;
static uint64_t random_state;

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "cable-relay: %s: %s\n", what, strerror(errno));
  exit(1);
}

/* xorshift64*, Vigna 2016: the same frames are lost for the same seed and order. */
static uint64_t next_random(void) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return (random_state * 2685821657736338717ULL) >> 16;
}

static int open_tap(const char *netns, const char *name) {
  int ns = open(netns, O_RDONLY | O_CLOEXEC);
  if (ns < 0 || setns(ns, CLONE_NEWNET) < 0) fail(netns);
  close(ns);
  /* The interface is made in the namespace in which the file was opened. */
  int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tap < 0) fail("/dev/net/tun");
  struct ifreq request;
  memset(&request, 0, sizeof request);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (ioctl(tap, TUNSETIFF, &request) < 0) fail(name);
  return tap;
}

/* Whether it is TCP over IPv4 (RFC 9293) without SYN and RST. */
static int is_established(const struct frame *frame) {
  const unsigned char *ip = frame->data + 14;
  if (frame->bytes < 54 || frame->data[12] != 8 || frame->data[13] != 0 || ip[9] != 6) return 0;
  size_t header = (ip[0] & 15) * 4;
  return frame->bytes >= 14 + header + 20 && (ip[header + 13] & 6) == 0;
}

static void take(struct direction *way, struct frame *frame) {
  int64_t now = now_ns();
  int lost = is_cut || now < hole_until_ns || (now < repeats_until_ns && is_established(frame)) || (int64_t)(next_random() % 1000000) < loss_ppm ||
             way->queued_bytes + frame->bytes > MOST_QUEUED_BYTES;
  if (lost) {
    free(frame);
    return;
  }
  int64_t start = way->line_free_ns > now ? way->line_free_ns : now;
  way->line_free_ns = bits_per_second == 0 ? now : start + (int64_t)frame->bytes * 8000000000LL / bits_per_second;
  frame->due_ns = way->line_free_ns + delay_ns;
  frame->next = NULL;
  *way->tail = frame;
  way->tail = &frame->next;
  way->queued_bytes += frame->bytes;
}

static void read_frames(struct direction *way) {
  static unsigned char buffer[MAX_FRAME];
  for (int i = 0; i < READS; i++) {
    ssize_t bytes = read(way->from, buffer, sizeof buffer);
    if (bytes <= 0) return;
    struct frame *frame = malloc(sizeof *frame + bytes);
    if (frame == NULL) fail("malloc");
    frame->bytes = bytes;
    memcpy(frame->data, buffer, bytes);
    take(way, frame);
  }
}

/* Passes on what is due; an interface that is down takes nothing, which is its business. */
static int64_t pass_on(struct direction *way, int64_t earliest) {
  while (way->head != NULL && way->head->due_ns <= now_ns()) {
    struct frame *frame = way->head;
    if (write(way->to, frame->data, frame->bytes) < 0 && errno == EINVAL) fail("write");
    way->head = frame->next;
    if (way->head == NULL) way->tail = &way->head;
    way->queued_bytes -= frame->bytes;
    free(frame);
  }
  return way->head != NULL && way->head->due_ns < earliest ? way->head->due_ns : earliest;
}

static void set_carrier(int a, int b, int carrier) {
  if (ioctl(a, TUNSETCARRIER, &carrier) < 0 || ioctl(b, TUNSETCARRIER, &carrier) < 0) fail("carrier");
}

static void obey(const char *line, int a, int b) {
  long long loss, delay_us, rate, ms;
  int carrier;
  if (sscanf(line, "impair %lld %lld %lld", &loss, &delay_us, &rate) == 3) {
    loss_ppm = loss;
    delay_ns = delay_us * 1000;
    bits_per_second = rate;
  } else if (sscanf(line, "hole %lld", &ms) == 1) {
    hole_until_ns = now_ns() + ms * 1000000;
  } else if (sscanf(line, "repeats %lld", &ms) == 1) {
    repeats_until_ns = now_ns() + ms * 1000000;
  } else if (sscanf(line, "carrier %d", &carrier) == 1) {
    /* The kernel goes on sending for up to a second after it has lost the carrier. */
    is_cut = !carrier;
    set_carrier(a, b, carrier);
  } else {
    errno = EINVAL;
    fail(line);
  }
  printf("ok\n");
  fflush(stdout);
}

/* Whole lines only; one that is not complete waits for its end. */
static void read_commands(int a, int b) {
  static char text[512];
  static size_t length;
  ssize_t bytes = read(STDIN_FILENO, text + length, sizeof text - 1 - length);
  if (bytes <= 0) exit(0);
  length += bytes;
  text[length] = 0;
  for (char *end = strchr(text, '\n'); end != NULL; end = strchr(text, '\n')) {
    *end = 0;
    obey(text, a, b);
    length -= end + 1 - text;
    memmove(text, end + 1, length + 1);
  }
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: cable-relay NETNS INTERFACE NETNS INTERFACE SEED\n");
    return 2;
  }
  random_state = strtoull(argv[5], NULL, 10) | 1;
  int a = open_tap(argv[1], argv[2]);
  int b = open_tap(argv[3], argv[4]);
  struct direction ways[2] = {{.from = a, .to = b}, {.from = b, .to = a}};
  ways[0].tail = &ways[0].head;
  ways[1].tail = &ways[1].head;
  /* A TAP interface whose carrier never changed has the state "unknown". */
  set_carrier(a, b, 0);
  set_carrier(a, b, 1);
  printf("ready\n");
  fflush(stdout);
  struct pollfd ready[3] = {{STDIN_FILENO, POLLIN, 0}, {a, POLLIN, 0}, {b, POLLIN, 0}};
  for (;;) {
    int64_t due = pass_on(&ways[1], pass_on(&ways[0], INT64_MAX));
    int64_t left = due == INT64_MAX ? 60000000000LL : due - now_ns();
    left = left < 0 ? 0 : left;
    struct timespec timeout = {left / 1000000000, left % 1000000000};
    if (ppoll(ready, 3, &timeout, NULL) < 0 && errno != EINTR) fail("poll");
    if (ready[0].revents) read_commands(a, b);
    if (ready[1].revents & POLLIN) read_frames(&ways[0]);
    if (ready[2].revents & POLLIN) read_frames(&ways[1]);
  }
}
