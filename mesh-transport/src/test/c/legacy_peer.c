/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer that does on the wire what the C plugin nccl-mesh does, in C and with libibverbs: its handle as the compiler
 * lays the struct out, its 32 bytes of handshake, plain SEND and RECV. Written from the description of that wire alone,
 * it shares no line with the Java classes it is to meet (LegacyProof is the other end).
 *
 *   gcc -O1 -Wall -Wextra -Werror -o legacy_peer legacy_peer.c -libverbs
 *   legacy_peer listen  DEVICE GID_INDEX OWN_IP OTHER_IP [BURN]
 *   legacy_peer connect DEVICE GID_INDEX OWN_IP OTHER_IP [BURN]
 *
 * BURN: queue pairs are made and destroyed until a number is larger than this. Ends with a line that begins with PASS,
 * or with what went wrong and exit code 1. SIGALRM ends it after ALARM_S seconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAGIC = 0x4D455348, MAX_ADDRESSES = 6, SLOT_BYTES = 128, HANDLE_PORT = 18600, ALARM_S = 400 };
enum { ROOM_BYTES = 1 << 20, ROUNDS = 3, DEPTH = 64 };

static const int sizes[] = {0, 1, 2, 31, 1023, 1024, 1025, 4095, 4096, 4097, 65536, 100000, 1 << 20};

struct address_entry {
  uint32_t ip, mask; /* network order */
  uint16_t qp_num;
  uint8_t nic_index, gid_index;
};

struct handle {
  uint32_t magic; /* host order, as all that is not marked */
  uint8_t count, chosen;
  uint16_t lid, qp_num, port;
  uint8_t ib_port, mtu;
  uint32_t psn;
  uint32_t ip; /* network order */
  union ibv_gid gid;
  struct address_entry addresses[MAX_ADDRESSES];
};

struct qp_info {
  uint32_t qp_num, psn; /* network order */
  uint8_t gid[16];
  uint32_t ip; /* network order */
  uint8_t gid_index, nic_index;
  uint16_t reserved;
};

_Static_assert(sizeof(struct handle) == 112, "handle");
_Static_assert(offsetof(struct handle, port) == 10 && offsetof(struct handle, psn) == 16, "handle");
_Static_assert(offsetof(struct handle, gid) == 24 && offsetof(struct handle, addresses) == 40, "handle");
_Static_assert(sizeof(struct address_entry) == 12, "address");
_Static_assert(sizeof(struct qp_info) == 32 && offsetof(struct qp_info, ip) == 24, "qp_info");

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static struct ibv_port_attr port;
static union ibv_gid gid;
static int gid_index;
static uint32_t own, other; /* network order */
static uint8_t *memory;

static void require(int ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "legacy_peer: %s failed: %s\n", what, strerror(errno));
    exit(1);
  }
}

static struct ibv_qp *make_qp(int depth) {
  struct ibv_qp_init_attr attr = {
      .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
      .cap = {.max_send_wr = depth, .max_recv_wr = depth, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = 64}};
  struct ibv_qp *made = ibv_create_qp(pd, &attr);
  require(made != NULL, "ibv_create_qp");
  return made;
}

static void open_device(const char *name, uint32_t burn) {
  struct ibv_device **list = ibv_get_device_list(NULL);
  for (int i = 0; list && list[i]; i++)
    if (!strcmp(ibv_get_device_name(list[i]), name)) context = ibv_open_device(list[i]);
  require(context != NULL, "ibv_open_device");
  require(!ibv_query_port(context, 1, &port), "ibv_query_port");
  require(!ibv_query_gid(context, 1, gid_index, &gid), "ibv_query_gid");
  require((pd = ibv_alloc_pd(context)) != NULL, "ibv_alloc_pd");
  require((cq = ibv_create_cq(context, 128, NULL, NULL, 0)) != NULL, "ibv_create_cq");
  require((memory = calloc(1, ROOM_BYTES)) != NULL, "calloc");
  mr = ibv_reg_mr(pd, memory, ROOM_BYTES,
                  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
  require(mr != NULL, "ibv_reg_mr");
  for (uint32_t number = 0; number < burn;) {
    struct ibv_qp *burnt = make_qp(1);
    number = burnt->qp_num;
    ibv_destroy_qp(burnt);
  }
  qp = make_qp(DEPTH);
  struct ibv_qp_attr attr = {
      .qp_state = IBV_QPS_INIT, .port_num = 1,
      .qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
  require(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
  printf("peer in C on %s, queue pair %u\n", name, qp->qp_num);
}

static void connect_qp(uint32_t number, uint32_t ip, enum ibv_mtu mtu) {
  struct ibv_qp_attr attr = {
      .qp_state = IBV_QPS_RTR, .path_mtu = mtu, .dest_qp_num = number, .rq_psn = 0, .max_dest_rd_atomic = 1,
      .min_rnr_timer = 12,
      .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = gid_index, .hop_limit = 64}}};
  attr.ah_attr.grh.dgid.raw[10] = attr.ah_attr.grh.dgid.raw[11] = 0xff;
  memcpy(attr.ah_attr.grh.dgid.raw + 12, &ip, 4);
  require(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER), "RTR");
  /* The plugin's timeout is 14, 67 ms; no peer sees it, and an emulated host may stand still longer. */
  struct ibv_qp_attr send = {.qp_state = IBV_QPS_RTS, .timeout = 18, .retry_cnt = 7, .rnr_retry = 7, .sq_psn = 0,
                             .max_rd_atomic = 1};
  require(!ibv_modify_qp(qp, &send, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                        IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC), "RTS");
}

static int listen_at(uint16_t at) {
  int on = 1, server = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(at)};
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  require(!bind(server, (struct sockaddr *)&address, sizeof address) && !listen(server, 16), "listen");
  return server;
}

static int dial(uint32_t ip, uint16_t at) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(at), .sin_addr.s_addr = ip};
  for (;;) {
    int peer = socket(AF_INET, SOCK_STREAM, 0);
    if (!connect(peer, (struct sockaddr *)&address, sizeof address)) return peer;
    require(errno == ECONNREFUSED || errno == EHOSTUNREACH, "connect");
    close(peer);
    usleep(100000);
  }
}

static void read_all(int peer, void *bytes, size_t length) {
  ssize_t got = recv(peer, bytes, length, MSG_WAITALL);
  if (got != (ssize_t)length) fprintf(stderr, "legacy_peer: got %zd of %zu bytes\n", got, length);
  require(got == (ssize_t)length, "recv");
}

static struct qp_info mine(int nic_index, int is_connector) {
  struct qp_info info = {.qp_num = htonl(qp->qp_num), .ip = own, .nic_index = nic_index};
  if (is_connector) {
    memcpy(info.gid, gid.raw, 16);
    info.gid_index = gid_index;
  }
  return info;
}

static void be_listener(void) {
  int server = listen_at(0);
  struct sockaddr_in bound;
  socklen_t length = sizeof bound;
  require(!getsockname(server, (struct sockaddr *)&bound, &length), "getsockname");
  union {
    struct handle handle;
    uint8_t bytes[SLOT_BYTES];
  } slot = {.handle = {.magic = MAGIC, .count = 1, .port = ntohs(bound.sin_port), .ib_port = 1,
                       .mtu = port.active_mtu, .ip = own, .gid = gid}};
  slot.handle.addresses[0] = (struct address_entry){
      .ip = own, .mask = htonl(0xffffff00), .qp_num = (uint16_t)qp->qp_num, .gid_index = gid_index};
  int handles = listen_at(HANDLE_PORT), reader = accept(handles, NULL, NULL);
  require(send(reader, &slot, sizeof slot, 0) == sizeof slot, "send");
  close(reader);
  close(handles);

  int peer = accept(server, NULL, NULL);
  struct qp_info theirs, answer;
  read_all(peer, &theirs, sizeof theirs);
  connect_qp(ntohl(theirs.qp_num), theirs.ip, port.active_mtu);
  answer = mine(theirs.nic_index, 0);
  require(send(peer, &answer, sizeof answer, 0) == sizeof answer, "send");
  close(peer);
  close(server);
}

static void be_connector(void) {
  struct handle handle;
  int reader = dial(other, HANDLE_PORT);
  read_all(reader, &handle, sizeof handle);
  close(reader);
  require(handle.magic == MAGIC, "magic of the handle");
  struct address_entry chosen = handle.addresses[0];
  int peer = dial(chosen.ip, handle.port);
  struct qp_info said = mine(chosen.nic_index, 1), theirs;
  require(send(peer, &said, sizeof said, 0) == sizeof said, "send");
  read_all(peer, &theirs, sizeof theirs);
  close(peer);
  enum ibv_mtu mtu = handle.mtu < port.active_mtu ? handle.mtu : port.active_mtu;
  connect_qp(ntohl(theirs.qp_num), theirs.ip ? theirs.ip : chosen.ip, mtu);
}

/* Posts one work request and waits for its end; the number of bytes that arrived. */
static uint32_t transfer(int is_send, uint32_t length) {
  struct ibv_sge sge = {.addr = (uintptr_t)memory, .length = length, .lkey = mr->lkey};
  if (is_send) {
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_send_wr *bad;
    require(!ibv_post_send(qp, &wr, &bad), "ibv_post_send");
  } else {
    struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;
    require(!ibv_post_recv(qp, &wr, &bad), "ibv_post_recv");
  }
  struct ibv_wc wc;
  int count;
  while ((count = ibv_poll_cq(cq, 1, &wc)) == 0) continue;
  if (count < 0 || wc.status != IBV_WC_SUCCESS) {
    fprintf(stderr, "legacy_peer: %s of %u bytes: %s\n", is_send ? "send" : "receive", length,
            count < 0 ? "the completion queue is broken" : ibv_wc_status_str(wc.status));
    exit(1);
  }
  return wc.byte_len;
}

static uint8_t content(int round, int size, int i) {
  return (uint8_t)(i * 31 + (i >> 8) * 17 + round * 7 + size);
}

static void exchange(int is_send) {
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      int size = sizes[k];
      if (is_send) {
        for (int i = 0; i < size; i++) memory[i] = content(round, size, i);
        transfer(1, size);
        continue;
      }
      uint32_t arrived = transfer(0, ROOM_BYTES);
      errno = EBADMSG;
      require(arrived == (uint32_t)size, "comparing lengths");
      for (int i = 0; i < size; i++) require(memory[i] == content(round, size, i), "comparing bytes");
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 6) {
    fprintf(stderr, "usage: legacy_peer listen|connect DEVICE GID_INDEX OWN_IP OTHER_IP [BURN]\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  alarm(ALARM_S);
  int connects = !strcmp(argv[1], "connect");
  gid_index = atoi(argv[3]);
  inet_pton(AF_INET, argv[4], &own);
  inet_pton(AF_INET, argv[5], &other);
  open_device(argv[2], argc > 6 ? strtoul(argv[6], NULL, 0) : 0);
  if (connects) be_connector();
  else be_listener();
  exchange(connects);
  printf("PASS peer in C, %s: %d messages of 0 to %d bytes\n", argv[1],
         (int)(ROUNDS * (sizeof sizes / sizeof *sizes)), ROOM_BYTES);
  ibv_destroy_qp(qp);
  ibv_destroy_cq(cq);
  ibv_dereg_mr(mr);
  ibv_dealloc_pd(pd);
  ibv_close_device(context);
  return 0;
}
