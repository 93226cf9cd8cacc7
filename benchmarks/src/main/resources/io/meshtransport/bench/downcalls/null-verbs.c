/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libibverbs without a device, to measure what lies above one. Its structures are declared as rdma-core's verbs.h
 * declares them. Two devices: "null0" takes whatever is posted and reports as many completions as are asked for, without
 * touching any of them; "wire0" joins queue pairs of this process, copying in the post itself, or as soon as the peer has
 * posted a receive. No locks: one thread at a time. No keys and no bounds either: it trusts its caller.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPCODES = 7, QUEUE_PAIRS = 4096, SUCCESS = 0, SIGNALED = 2, WITH_IMM = 2, RECEIVED = 128 };

struct ibv_context;
struct ibv_device { void *ops[2]; int node_type, transport_type; char name[64], dev_name[64], dev_path[256], ibdev_path[256]; };
struct ibv_pd { struct ibv_context *context; uint32_t handle; };
struct ibv_mr { struct ibv_context *context; struct ibv_pd *pd; void *addr; size_t length; uint32_t handle, lkey, rkey; };
struct ibv_comp_channel { struct ibv_context *context; int fd, refcnt, writer; };
struct ibv_wc { uint64_t wr_id; int status, opcode; uint32_t vendor_err, byte_len, imm_data, qp_num, src_qp; unsigned wc_flags;
  uint16_t pkey_index, slid; uint8_t sl, path; };
struct ibv_cq { struct ibv_context *context; struct ibv_comp_channel *channel; void *cq_context; uint32_t handle; int cqe;
  pthread_mutex_t mutex; pthread_cond_t cond; uint32_t comp_events_completed, async_events_completed;
  int armed; unsigned head, tail, mask; struct ibv_wc *ring; };
struct ibv_sge { uint64_t addr; uint32_t length, lkey; };
struct ibv_recv_wr { uint64_t wr_id; struct ibv_recv_wr *next; struct ibv_sge *sg_list; int num_sge; };
struct ibv_send_wr { uint64_t wr_id; struct ibv_send_wr *next; struct ibv_sge *sg_list; int num_sge, opcode; unsigned send_flags;
  uint32_t imm_data; uint64_t remote_addr, compare_add, swap; uint32_t atomic_rkey; uint64_t rest[7]; };
struct ibv_qp_cap { uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data; };
struct ibv_qp_init_attr { void *qp_context; struct ibv_cq *send_cq, *recv_cq; void *srq; struct ibv_qp_cap cap; int qp_type, sq_sig_all; };
struct receive { uint64_t id; struct ibv_sge sge; };
struct waiting { struct ibv_send_wr wr; struct ibv_sge sge; };
struct ibv_qp { struct ibv_context *context; void *qp_context; struct ibv_pd *pd; struct ibv_cq *send_cq, *recv_cq; void *srq;
  uint32_t handle, qp_num; int state, qp_type; pthread_mutex_t mutex; pthread_cond_t cond; uint32_t events_completed;
  uint32_t peer; unsigned head, tail, mask; struct receive *receives; unsigned first, last, waiting_mask; struct waiting *waiting; };
struct ibv_qp_attr { int qp_state; int words[5]; uint32_t sq_psn, dest_qp_num; char rest[112]; };
struct ibv_gid_entry { uint8_t gid[16]; uint32_t gid_index, port_num, gid_type, ndev_ifindex; };
struct ibv_port_attr { int state, max_mtu, active_mtu, gid_tbl_len; uint32_t port_cap_flags, max_msg_sz; char rest[28]; };
struct ibv_device_attr { char fw_ver[64]; uint64_t node_guid, sys_image_guid, max_mr_size, page_size_cap; uint32_t ids[3];
  int max_qp, max_qp_wr; unsigned flags; int max_sge, max_sge_rd, max_cq, max_cqe, max_mr, max_pd, max_qp_rd_atom, max_ee_rd_atom,
  max_res_rd_atom, max_qp_init_rd_atom, rest[16]; uint16_t max_pkeys; uint8_t local_ca_ack_delay, phys_port_cnt; };
struct ibv_context_ops { void *compat0[11]; int (*poll_cq)(struct ibv_cq *, int, struct ibv_wc *); int (*req_notify_cq)(struct ibv_cq *, int);
  void *compat2[7]; int (*post_srq_recv)(void *, struct ibv_recv_wr *, struct ibv_recv_wr **); void *compat3[4];
  int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
  int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **); void *compat4[5]; };
struct ibv_context { struct ibv_device *device; struct ibv_context_ops ops; int cmd_fd, async_fd, num_comp_vectors;
  pthread_mutex_t mutex; void *abi_compat; };
struct opened { char front[312]; size_t sz; struct ibv_context context; };

_Static_assert(sizeof(struct ibv_device) == 664 && sizeof(struct ibv_mr) == 48 && sizeof(struct ibv_wc) == 48
  && sizeof(struct ibv_send_wr) == 128 && sizeof(struct ibv_qp_init_attr) == 64 && sizeof(struct ibv_qp_attr) == 144
  && sizeof(struct ibv_context_ops) == 256 && sizeof(struct ibv_device_attr) == 232 && sizeof(struct ibv_port_attr) == 52,
  "the structures are not those of verbs.h");

static struct ibv_device devices[] = { { .name = "null0" }, { .name = "wire0" } };
static struct ibv_qp *queue_pairs[QUEUE_PAIRS];
static uint32_t last_number;

static unsigned ring_of(unsigned least) { unsigned size = 1; while (size < least) size *= 2; return size; }

/* null0 */

static int null_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) { (void) qp; (void) wr; (void) bad; return 0; }
static int null_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { (void) qp; (void) wr; (void) bad; return 0; }
static int null_poll(struct ibv_cq *cq, int most, struct ibv_wc *wc) { (void) cq; (void) wc; return most; }
static int null_notify(struct ibv_cq *cq, int solicited) { (void) cq; (void) solicited; return 0; }

/* wire0 */

static int no_shared(void *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { (void) srq; *bad = wr; return EOPNOTSUPP; }

static void complete(struct ibv_cq *cq, uint64_t id, int status, int opcode, uint32_t bytes, uint32_t imm, unsigned flags, uint32_t number) {
  struct ibv_wc *wc = &cq->ring[cq->tail++ & cq->mask];
  wc->wr_id = id; wc->status = status; wc->opcode = opcode; wc->vendor_err = 0; wc->byte_len = bytes;
  wc->imm_data = imm; wc->qp_num = number; wc->src_qp = 0; wc->wc_flags = flags;
  if (cq->armed && cq->channel) { cq->armed = 0; ssize_t n = write(cq->channel->writer, &cq, sizeof cq); (void) n; }
}

static void gather(char *to, struct ibv_send_wr *wr) {
  for (int i = 0; i < wr->num_sge; to += wr->sg_list[i++].length) memcpy(to, (void *) wr->sg_list[i].addr, wr->sg_list[i].length);
}

/* Whether it could be done: what takes a receive of the peer's waits until there is one. */
static int done(struct ibv_qp *qp, struct ibv_send_wr *wr) {
  static const int reported_as[OPCODES] = { 1, 1, 0, 0, 2, 3, 4 };
  struct ibv_qp *peer = queue_pairs[qp->peer % QUEUE_PAIRS];
  uint32_t bytes = 0;
  int takes_receive = wr->opcode >= 1 && wr->opcode <= 3;
  if (!peer || (takes_receive && peer->head == peer->tail)) return 0;
  struct receive *receive = takes_receive ? &peer->receives[peer->head++ & peer->mask] : 0;
  uint64_t *word = (uint64_t *) wr->remote_addr, *result = wr->num_sge ? (uint64_t *) wr->sg_list[0].addr : 0;
  for (int i = 0; i < wr->num_sge; i++) bytes += wr->sg_list[i].length;
  switch (wr->opcode) {
    case 0: case 1: gather((char *) wr->remote_addr, wr); break;
    case 2: case 3: gather((char *) receive->sge.addr, wr); break;
    case 4: memcpy(result, word, bytes); break;
    case 5: *result = *word; if (*word == wr->compare_add) *word = wr->swap; break;
    case 6: *result = *word; *word += wr->compare_add; break;
  }
  if (receive) complete(peer->recv_cq, receive->id, SUCCESS, RECEIVED + (wr->opcode == 1), bytes, wr->imm_data,
    wr->opcode == 2 ? 0 : WITH_IMM, peer->qp_num);
  if (wr->send_flags & SIGNALED) complete(qp->send_cq, wr->wr_id, SUCCESS, reported_as[wr->opcode], bytes, 0, 0, qp->qp_num);
  return 1;
}

static int wire_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
  for (; wr; wr = wr->next) {
    if (qp->first == qp->last && done(qp, wr)) continue;
    if (qp->last - qp->first > qp->waiting_mask || wr->num_sge > 1) { *bad = wr; return ENOMEM; }
    struct waiting *waiting = &qp->waiting[qp->last++ & qp->waiting_mask];
    waiting->wr = *wr;
    waiting->wr.sg_list = &waiting->sge;
    if (wr->num_sge) waiting->sge = wr->sg_list[0];
  }
  return 0;
}

static int wire_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  struct ibv_qp *peer = queue_pairs[qp->peer % QUEUE_PAIRS];
  for (; wr; wr = wr->next) {
    if (qp->tail - qp->head > qp->mask) { *bad = wr; return ENOMEM; }
    struct receive *receive = &qp->receives[qp->tail++ & qp->mask];
    receive->id = wr->wr_id;
    if (wr->num_sge) receive->sge = wr->sg_list[0];
  }
  while (peer && peer->first != peer->last && done(peer, &peer->waiting[peer->first & peer->waiting_mask].wr)) peer->first++;
  return 0;
}

static int wire_poll(struct ibv_cq *cq, int most, struct ibv_wc *wc) {
  int count = 0;
  while (count < most && cq->head != cq->tail) wc[count++] = cq->ring[cq->head++ & cq->mask];
  return count;
}

static int wire_notify(struct ibv_cq *cq, int solicited) { (void) solicited; cq->armed = 1; return 0; }

/* what is exported */

struct ibv_device **ibv_get_device_list(int *count) {
  struct ibv_device **list = calloc(3, sizeof *list);
  list[0] = &devices[0]; list[1] = &devices[1];
  if (count) *count = 2;
  return list;
}
void ibv_free_device_list(struct ibv_device **list) { free(list); }
const char *ibv_get_device_name(struct ibv_device *device) { return device->name; }

struct ibv_context *ibv_open_device(struct ibv_device *device) {
  int pipes[2], is_wire = device == &devices[1];
  if (pipe2(pipes, O_CLOEXEC)) return 0;
  struct opened *opened = calloc(1, sizeof *opened);
  struct ibv_context *context = &opened->context;
  opened->sz = sizeof opened->front + sizeof opened->sz + sizeof *context;
  context->device = device;
  context->ops.post_send = is_wire ? wire_post_send : null_post_send;
  context->ops.post_recv = is_wire ? wire_post_recv : null_post_recv;
  context->ops.post_srq_recv = no_shared;
  context->ops.poll_cq = is_wire ? wire_poll : null_poll;
  context->ops.req_notify_cq = is_wire ? wire_notify : null_notify;
  context->async_fd = pipes[0]; context->cmd_fd = pipes[1]; context->num_comp_vectors = 1; context->abi_compat = (void *) -1L;
  return context;
}
int ibv_close_device(struct ibv_context *context) {
  close(context->async_fd); close(context->cmd_fd);
  free((char *) context - __builtin_offsetof(struct opened, context));
  return 0;
}
int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr) {
  (void) context; memset(attr, 0, sizeof *attr);
  strcpy(attr->fw_ver, "0"); attr->max_qp = QUEUE_PAIRS; attr->max_qp_wr = 1 << 14; attr->max_sge = attr->max_sge_rd = 16;
  attr->max_cq = QUEUE_PAIRS; attr->max_cqe = 1 << 16; attr->max_mr = 1 << 16; attr->max_mr_size = 1L << 40; attr->max_pd = 1 << 10;
  attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 16; attr->max_pkeys = 1; attr->phys_port_cnt = 1;
  return 0;
}
int ibv_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr) {
  (void) context; (void) port; memset(attr, 0, sizeof *attr);
  attr->state = 4; attr->max_mtu = attr->active_mtu = 5; attr->gid_tbl_len = 8; attr->max_msg_sz = 1u << 31;
  return 0;
}
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *rows, size_t most, uint32_t flags, size_t size) {
  static const uint8_t gid[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 77, 0, 1 };
  (void) context; (void) flags;
  if (size != sizeof *rows || most < 1) return -EINVAL;
  memset(rows, 0, sizeof *rows);
  memcpy(rows->gid, gid, sizeof gid); rows->port_num = 1; rows->gid_type = 2;
  return 1;
}
int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, uint16_t *key) {
  (void) context; (void) port; (void) index; *key = 0xFFFF; return 0;
}
int ibv_get_async_event(struct ibv_context *context, void *event) { (void) context; (void) event; errno = EAGAIN; return -1; }
void ibv_ack_async_event(void *event) { (void) event; }

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) { struct ibv_pd *pd = calloc(1, sizeof *pd); pd->context = context; return pd; }
int ibv_dealloc_pd(struct ibv_pd *pd) { free(pd); return 0; }
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access) {
  (void) iova; (void) access;
  struct ibv_mr *mr = calloc(1, sizeof *mr);
  mr->context = pd->context; mr->pd = pd; mr->addr = addr; mr->length = length; mr->lkey = mr->rkey = 1;
  return mr;
}
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access) { return ibv_reg_mr_iova2(pd, addr, length, 0, access); }
int ibv_dereg_mr(struct ibv_mr *mr) { free(mr); return 0; }

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context) {
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC)) return 0;
  struct ibv_comp_channel *channel = calloc(1, sizeof *channel);
  channel->context = context; channel->fd = pipes[0]; channel->writer = pipes[1];
  return channel;
}
int ibv_destroy_comp_channel(struct ibv_comp_channel *channel) { close(channel->fd); close(channel->writer); free(channel); return 0; }
struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *user, struct ibv_comp_channel *channel, int vector) {
  (void) vector;
  struct ibv_cq *cq = calloc(1, sizeof *cq);
  unsigned size = ring_of(cqe);
  cq->context = context; cq->cq_context = user; cq->channel = channel; cq->cqe = size; cq->mask = size - 1; cq->ring = calloc(size, sizeof *cq->ring);
  return cq;
}
int ibv_destroy_cq(struct ibv_cq *cq) { free(cq->ring); free(cq); return 0; }
int ibv_resize_cq(struct ibv_cq *cq, int cqe) { (void) cq; (void) cqe; return EOPNOTSUPP; }
int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **user) {
  if (read(channel->fd, cq, sizeof *cq) != sizeof *cq) return -1;
  *user = (*cq)->cq_context;
  return 0;
}
void ibv_ack_cq_events(struct ibv_cq *cq, unsigned count) { cq->comp_events_completed += count; }

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr) {
  struct ibv_qp *qp = calloc(1, sizeof *qp);
  unsigned size = ring_of(attr->cap.max_recv_wr);
  qp->context = pd->context; qp->pd = pd; qp->send_cq = attr->send_cq; qp->recv_cq = attr->recv_cq; qp->srq = attr->srq;
  qp->qp_type = attr->qp_type; qp->mask = size - 1; qp->receives = calloc(size, sizeof *qp->receives);
  size = ring_of(attr->cap.max_send_wr);
  qp->waiting_mask = size - 1; qp->waiting = calloc(size, sizeof *qp->waiting);
  do { qp->qp_num = 1 + last_number++ % (QUEUE_PAIRS - 1); } while (queue_pairs[qp->qp_num]);
  queue_pairs[qp->qp_num] = qp;
  return qp;
}
int ibv_destroy_qp(struct ibv_qp *qp) { queue_pairs[qp->qp_num] = 0; free(qp->receives); free(qp->waiting); free(qp); return 0; }
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask) {
  enum { DESTINATION = 1 << 20 };
  qp->state = attr->qp_state;
  if (mask & DESTINATION) qp->peer = attr->dest_qp_num;
  return 0;
}
int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) {
  (void) mask; memset(attr, 0, sizeof *attr); memset(init, 0, sizeof *init);
  attr->qp_state = qp->state;
  return 0;
}

void *ibv_create_srq(struct ibv_pd *pd, void *attr) { (void) pd; (void) attr; errno = EOPNOTSUPP; return 0; }
int ibv_modify_srq(void *srq, void *attr, int mask) { (void) srq; (void) attr; (void) mask; return EOPNOTSUPP; }
int ibv_query_srq(void *srq, void *attr) { (void) srq; (void) attr; return EOPNOTSUPP; }
int ibv_destroy_srq(void *srq) { (void) srq; return EOPNOTSUPP; }
void *ibv_create_ah(struct ibv_pd *pd, void *attr) { (void) pd; (void) attr; errno = EOPNOTSUPP; return 0; }
int ibv_destroy_ah(void *ah) { (void) ah; return EOPNOTSUPP; }
