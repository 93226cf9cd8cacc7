/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libibverbs that drives nothing, for tests on hosts without RDMA. Its structures are declared as
 * rdma-core's verbs.h declares them, so the compiler of this host lays them out. Two devices, fake0
 * and fake1, have different functions in ibv_context.ops. A send completes at once and goes nowhere.
 *
 * Tests steer it by fake_* functions: make a call fail, corrupt a field, move a queue pair to ERR.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ibv_device { void *ops[2]; int node_type; int transport_type; char name[64]; char dev_name[64];
  char dev_path[256]; char ibdev_path[256]; };
struct ibv_context;
struct ibv_pd { struct ibv_context *context; uint32_t handle; };
struct ibv_mr { struct ibv_context *context; struct ibv_pd *pd; void *addr; size_t length; uint32_t handle;
  uint32_t lkey; uint32_t rkey; };
struct ibv_comp_channel { struct ibv_context *context; int fd; int refcnt; int writer; };
struct ibv_wc { uint64_t wr_id; int status; int opcode; uint32_t vendor_err; uint32_t byte_len; uint32_t imm_data;
  uint32_t qp_num; uint32_t src_qp; unsigned wc_flags; uint16_t pkey_index; uint16_t slid; uint8_t sl; uint8_t path; };
struct ibv_cq { struct ibv_context *context; struct ibv_comp_channel *channel; void *cq_context; uint32_t handle;
  int cqe; pthread_mutex_t mutex; pthread_cond_t cond; uint32_t comp_events_completed; uint32_t async_events_completed;
  int events; int armed; int users; int dead; int head; int tail; struct ibv_wc ring[1024]; };
struct ibv_sge { uint64_t addr; uint32_t length; uint32_t lkey; };
struct ibv_recv_wr { uint64_t wr_id; struct ibv_recv_wr *next; struct ibv_sge *sg_list; int num_sge; };
struct ibv_send_wr { uint64_t wr_id; struct ibv_send_wr *next; struct ibv_sge *sg_list; int num_sge; int opcode;
  unsigned send_flags; uint32_t imm_data; uint64_t rest[11]; };
struct ibv_qp_cap { uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data; };
struct ibv_qp_init_attr { void *qp_context; struct ibv_cq *send_cq; struct ibv_cq *recv_cq; void *srq;
  struct ibv_qp_cap cap; int qp_type; int sq_sig_all; };
struct ibv_qp { struct ibv_context *context; void *qp_context; struct ibv_pd *pd; struct ibv_cq *send_cq;
  struct ibv_cq *recv_cq; void *srq; uint32_t handle; uint32_t qp_num; int state; int qp_type; pthread_mutex_t mutex;
  pthread_cond_t cond; uint32_t events_completed; int real_state; int dead; int receives; uint64_t receive_id[64];
  struct ibv_qp_cap cap; unsigned char last_attr[144]; int last_mask; };
union ibv_gid { uint8_t raw[16]; uint64_t halves[2]; };
struct ibv_ah { struct ibv_context *context; struct ibv_pd *pd; uint32_t handle; };
struct ibv_srq_attr { uint32_t max_wr, max_sge, srq_limit; };
struct ibv_srq_init_attr { void *srq_context; struct ibv_srq_attr attr; };
struct ibv_srq { struct ibv_context *context; void *srq_context; struct ibv_pd *pd; uint32_t handle; pthread_mutex_t mutex;
  pthread_cond_t cond; uint32_t events_completed; struct ibv_srq_attr attr; uint32_t posted; int dead; };
struct ibv_ah_attr { struct { union ibv_gid dgid; uint32_t flow_label; uint8_t sgid_index, hop_limit, traffic_class; } grh;
  uint16_t dlid; uint8_t sl, src_path_bits, static_rate, is_global, port_num; };
struct ibv_qp_attr { int qp_state; int cur_qp_state; int path_mtu; int path_mig_state; uint32_t qkey, rq_psn, sq_psn,
  dest_qp_num; unsigned qp_access_flags; struct ibv_qp_cap cap; struct ibv_ah_attr ah_attr, alt_ah_attr;
  uint16_t pkey_index, alt_pkey_index; uint8_t en_sqd_async_notify, sq_draining, max_rd_atomic, max_dest_rd_atomic,
  min_rnr_timer, port_num, timeout, retry_cnt, rnr_retry, alt_port_num, alt_timeout; uint32_t rate_limit; };
struct ibv_async_event { union { void *pointer; int port_num; } element; int event_type; };
struct ibv_gid_entry { uint8_t gid[16]; uint32_t gid_index; uint32_t port_num; uint32_t gid_type; uint32_t ndev_ifindex; };
struct ibv_port_attr { int state, max_mtu, active_mtu, gid_tbl_len; uint32_t port_cap_flags, max_msg_sz; char rest[24]; };
struct ibv_device_attr { char fw_ver[64]; uint64_t node_guid, sys_image_guid, max_mr_size, page_size_cap;
  uint32_t vendor_id, vendor_part_id, hw_ver; int max_qp, max_qp_wr; unsigned device_cap_flags; int max_sge, max_sge_rd,
  max_cq, max_cqe, max_mr, max_pd, max_qp_rd_atom, max_ee_rd_atom, max_res_rd_atom, max_qp_init_rd_atom,
  max_ee_init_rd_atom, atomic_cap, rest[14]; uint16_t max_pkeys; uint8_t local_ca_ack_delay, phys_port_cnt; };
struct ibv_context_ops { void *compat0[7]; void *alloc_mw, *bind_mw, *dealloc_mw, *compat1;
  int (*poll_cq)(struct ibv_cq *, int, struct ibv_wc *); int (*req_notify_cq)(struct ibv_cq *, int); void *compat2[7];
  int (*post_srq_recv)(void *, struct ibv_recv_wr *, struct ibv_recv_wr **); void *compat3[4];
  int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
  int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **); void *compat4[5]; };
struct ibv_context { struct ibv_device *device; struct ibv_context_ops ops; int cmd_fd; int async_fd;
  int num_comp_vectors; pthread_mutex_t mutex; void *abi_compat; };
struct fake_context { char front[312]; size_t sz; struct ibv_context context; int async_writer; int events; };

_Static_assert(sizeof(struct ibv_device) == 664 && sizeof(struct ibv_mr) == 48 && sizeof(struct ibv_wc) == 48
  && sizeof(struct ibv_send_wr) == 128 && sizeof(struct ibv_qp_init_attr) == 64 && sizeof(struct ibv_qp_attr) == 144
  && sizeof(struct ibv_context_ops) == 256 && sizeof(struct ibv_device_attr) == 232 && sizeof(struct ibv_gid_entry) == 32,
  "the structures are not those of verbs.h");

static struct ibv_device devices[2] = { { .name = "fake0" }, { .name = "fake1" } };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int device_count = 2, used_after_end, kept_sends, living, refuse_at = -2, refuse_errno, posts[2];
static uint32_t next_number = 0x010000;
static char failing[64]; static int failing_errno, failing_times; static char corrupt[64]; static long corrupt_value;

void fake_reset(void) { device_count = 2; used_after_end = kept_sends = living = 0; refuse_at = -2; failing[0] = corrupt[0] = 0;
  posts[0] = posts[1] = 0; strcpy(devices[0].name, "fake0"); }
void fake_fail(const char *call, int number, int times) { strncpy(failing, call, 63); failing_errno = number; failing_times = times; }
void fake_corrupt(const char *field, long value) { strncpy(corrupt, field, 63); corrupt_value = value; }
void fake_devices(int count) { device_count = count; }
void fake_refuse(int index, int number) { refuse_at = index; refuse_errno = number; }
int fake_used_after_end(void) { return used_after_end; }
int fake_kept_sends(void) { return kept_sends; }
int fake_living(void) { return living; }
int fake_posts(int device) { return posts[device]; }

static int fails(const char *call) {
  if (strcmp(call, failing) || failing_times == 0) return 0;
  failing_times--; errno = failing_errno; return failing_errno;
}
static int is_corrupt(const char *field) { return !strcmp(field, corrupt); }
static void *made(size_t bytes) { living++; return calloc(1, bytes); }
/* Memory of what was destroyed is kept, so that its later use can be counted. */
static int ended(int *dead) { *dead = 1; living--; return 0; }
static void notify(struct ibv_cq *cq, int solicited_or_failed) {
  if (cq->channel && (cq->armed == 1 || (cq->armed == 2 && solicited_or_failed))) {
    cq->armed = 0; ssize_t n = write(cq->channel->writer, &cq, sizeof cq); (void) n;
  }
}
static void complete(struct ibv_cq *cq, uint64_t id, int status, int opcode, uint32_t bytes, uint32_t number) {
  struct ibv_wc *wc = &cq->ring[cq->tail++ % 1024];
  memset(wc, 0, sizeof *wc);
  wc->wr_id = id; wc->status = status; wc->opcode = opcode; wc->byte_len = bytes; wc->qp_num = number;
  if (status) { wc->vendor_err = 77; wc->opcode = 999; }
  notify(cq, status != 0);
}

static int post_send(int which, struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
  static const int opcodes[] = { 1, 1, 0, 0, 2, 3, 4 };
  if (qp->dead) { used_after_end++; return EINVAL; }
  pthread_mutex_lock(&lock);
  *bad = 0;
  int index = 0, rc = 0;
  for (; wr && !rc; wr = wr->next, index++) {
    if (refuse_at == -1) { rc = refuse_errno; }
    else if (index == refuse_at) { *bad = wr; rc = refuse_errno; }
    else if (qp->real_state != 3 && qp->real_state != 6) { kept_sends++; rc = EINVAL; }
    else if (wr->num_sge > (int) qp->cap.max_send_sge) { *bad = wr; rc = ENOMEM; }
    else {
      posts[which]++;
      uint32_t bytes = 0;
      for (int i = 0; i < wr->num_sge; i++) bytes += wr->sg_list[i].length;
      if (qp->real_state == 6) complete(qp->send_cq, wr->wr_id, 5, 0, 0, qp->qp_num);
      else if (wr->send_flags & 2) complete(qp->send_cq, wr->wr_id, 0, opcodes[wr->opcode], bytes, qp->qp_num);
    }
  }
  pthread_mutex_unlock(&lock);
  return rc;
}
static int post_send_0(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) { return post_send(0, qp, wr, bad); }
static int post_send_1(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) { return post_send(1, qp, wr, bad); }
static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  if (qp->dead) { used_after_end++; return EINVAL; }
  pthread_mutex_lock(&lock);
  *bad = 0;
  int rc = 0;
  for (; wr && !rc; wr = wr->next) {
    if (qp->receives == (int) qp->cap.max_recv_wr) { *bad = wr; rc = ENOMEM; }
    else qp->receive_id[qp->receives++] = wr->wr_id;
  }
  pthread_mutex_unlock(&lock);
  return rc;
}
static int post_srq_recv(void *shared, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  struct ibv_srq *srq = shared;
  if (srq->dead) { used_after_end++; return EINVAL; }
  *bad = 0;
  for (; wr; wr = wr->next) {
    if (srq->posted == srq->attr.max_wr) { *bad = wr; return ENOMEM; }
    srq->posted++;
  }
  return 0;
}
static int poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc) {
  if (cq->dead) { used_after_end++; return -1; }
  if (fails("poll_cq")) return -1;
  pthread_mutex_lock(&lock);
  int count = 0;
  while (count < most && cq->head < cq->tail) wc[count++] = cq->ring[cq->head++ % 1024];
  pthread_mutex_unlock(&lock);
  return count;
}
static int req_notify_cq(struct ibv_cq *cq, int solicited) {
  if (cq->dead) { used_after_end++; return EINVAL; }
  cq->armed = solicited ? 2 : 1; return fails("req_notify_cq");
}

struct ibv_device **ibv_get_device_list(int *count) {
  if (fails("ibv_get_device_list")) return 0;
  struct ibv_device **list = calloc(3, sizeof *list);
  for (int i = 0; i < device_count; i++) list[i] = &devices[i];
  if (count) *count = device_count;
  return list;
}
void ibv_free_device_list(struct ibv_device **list) { free(list); }
const char *ibv_get_device_name(struct ibv_device *device) { return device->name; }

struct ibv_context *ibv_open_device(struct ibv_device *device) {
  static const char *other = "other";
  if (fails("ibv_open_device")) return 0;
  struct fake_context *fake = made(sizeof *fake);
  struct ibv_context *context = &fake->context;
  int pipes[2], which = device == &devices[1];
  if (pipe2(pipes, O_CLOEXEC)) return 0;
  fake->sz = is_corrupt("sz") ? (size_t) corrupt_value : sizeof fake->front + 8 + sizeof *context;
  fake->async_writer = pipes[1];
  context->device = device;
  if (is_corrupt("name")) { context->device = calloc(1, sizeof *device); strcpy(context->device->name, other); }
  context->ops.post_send = which ? post_send_1 : post_send_0;
  context->ops.post_recv = is_corrupt("ops") ? 0 : post_recv;
  context->ops.post_srq_recv = post_srq_recv;
  context->ops.poll_cq = poll_cq;
  context->ops.req_notify_cq = req_notify_cq;
  context->async_fd = pipes[0];
  context->cmd_fd = is_corrupt("cmd_fd") ? corrupt_value : pipes[1];
  context->num_comp_vectors = is_corrupt("num_comp_vectors") ? corrupt_value : 1;
  context->abi_compat = is_corrupt("abi_compat") ? (void *) corrupt_value : (void *) -1L;
  return context;
}
int ibv_close_device(struct ibv_context *context) {
  int rc = fails("ibv_close_device");
  if (rc) return rc;
  struct fake_context *fake = (struct fake_context *) ((char *) context - offsetof(struct fake_context, context));
  close(context->async_fd); close(fake->async_writer); living--;
  return 0;
}
int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr) {
  int rc = fails("ibv_query_device"); if (rc) return rc;
  (void) context; memset(attr, 0, sizeof *attr);
  strcpy(attr->fw_ver, "1.2.3"); attr->max_qp = 1000; attr->max_qp_wr = 64; attr->max_sge = 8; attr->max_cqe = 1000;
  attr->max_mr = 500; attr->max_mr_size = 1L << 40; attr->rest[12] = 64; attr->rest[13] = 4; attr->max_qp_rd_atom = 16; attr->max_qp_init_rd_atom = 17; attr->phys_port_cnt = 2;
  return 0;
}
int ibv_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr) {
  int rc = fails("ibv_query_port"); if (rc) return rc;
  (void) context; memset(attr, 0, sizeof *attr);
  attr->state = port == 1 ? 4 : 1; attr->max_mtu = 5; attr->active_mtu = 3; attr->gid_tbl_len = 16; attr->max_msg_sz = 1u << 31;
  return 0;
}
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *rows, size_t most, uint32_t flags, size_t size) {
  int rc = fails("_ibv_query_gid_table"); if (rc) return -rc;
  (void) context; (void) flags;
  if (size != 32 || most < 3) return -EINVAL;
  memset(rows, 0, 3 * sizeof *rows);
  for (int i = 0; i < 3; i++) {
    uint8_t gid[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 1, 3 - i };
    memcpy(rows[i].gid, gid, 16);
    rows[i].gid_index = 7 - i; rows[i].port_num = i == 2 ? 2 : 1; rows[i].gid_type = is_corrupt("gid_type") ? corrupt_value : 2;
    rows[i].ndev_ifindex = i == 0 ? 1 : 0;
  }
  return is_corrupt("gid_count") ? corrupt_value : 3;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
  if (fails("ibv_alloc_pd")) return 0;
  struct ibv_pd *pd = made(sizeof *pd);
  pd->context = is_corrupt("pd.context") ? 0 : context;
  return pd;
}
int ibv_dealloc_pd(struct ibv_pd *pd) { int rc = fails("ibv_dealloc_pd"); if (rc) return rc; free(pd); living--; return 0; }

static struct ibv_mr *region(struct ibv_pd *pd, void *addr, size_t length, const char *call) {
  if (fails(call)) return 0;
  struct ibv_mr *mr = made(sizeof *mr);
  mr->context = pd->context; mr->pd = pd; mr->addr = addr; mr->length = is_corrupt("mr.length") ? length + 1 : length;
  mr->lkey = 0x1100; mr->rkey = 0x2200;
  return mr;
}
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access) { (void) access; return region(pd, addr, length, "ibv_reg_mr"); }
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access) {
  (void) access; (void) iova; return region(pd, addr, length, "ibv_reg_mr_iova2");
}
int ibv_dereg_mr(struct ibv_mr *mr) { int rc = fails("ibv_dereg_mr"); if (rc) return rc; free(mr); living--; return 0; }

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context) {
  int pipes[2];
  if (fails("ibv_create_comp_channel") || pipe2(pipes, O_CLOEXEC)) return 0;
  struct ibv_comp_channel *channel = made(sizeof *channel);
  channel->context = context; channel->fd = pipes[0]; channel->writer = pipes[1];
  if (is_corrupt("channel.fd")) channel->fd = corrupt_value;
  return channel;
}
int ibv_destroy_comp_channel(struct ibv_comp_channel *channel) {
  int rc = fails("ibv_destroy_comp_channel"); if (rc) return rc;
  close(channel->fd); close(channel->writer); free(channel); living--; return 0;
}
struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector) {
  (void) vector;
  if (fails("ibv_create_cq")) return 0;
  struct ibv_cq *cq = made(sizeof *cq);
  cq->context = context; cq->cq_context = cq_context; cq->channel = channel; cq->cqe = is_corrupt("cqe") ? corrupt_value : cqe + 3;
  return cq;
}
int ibv_destroy_cq(struct ibv_cq *cq) { int rc = fails("ibv_destroy_cq"); return rc ? rc : ended(&cq->dead); }
int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context) {
  if (fails("ibv_get_cq_event")) return -1;
  if (read(channel->fd, cq, sizeof *cq) != sizeof *cq) return -1;
  *cq_context = (*cq)->cq_context; (*cq)->events++;
  return 0;
}
void ibv_ack_cq_events(struct ibv_cq *cq, unsigned count) { cq->comp_events_completed += count; }
int fake_unacknowledged(struct ibv_cq *cq) { return cq->events - (int) cq->comp_events_completed; }

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr) {
  if (fails("ibv_create_qp")) return 0;
  struct ibv_qp *qp = made(sizeof *qp);
  attr->cap.max_send_sge += 1; attr->cap.max_inline_data += 8;
  if (is_corrupt("max_send_wr")) attr->cap.max_send_wr = corrupt_value;
  qp->context = pd->context; qp->pd = pd; qp->send_cq = attr->send_cq; qp->recv_cq = attr->recv_cq; qp->srq = attr->srq;
  qp->qp_num = is_corrupt("qp_num") ? (uint32_t) corrupt_value : next_number++; qp->qp_type = attr->qp_type; qp->cap = attr->cap;
  return qp;
}
int ibv_destroy_qp(struct ibv_qp *qp) { int rc = fails("ibv_destroy_qp"); return rc ? rc : ended(&qp->dead); }
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask) {
  if (qp->dead) used_after_end++;
  int rc = fails("ibv_modify_qp"); if (rc) return rc;
  memcpy(qp->last_attr, attr, sizeof *attr); qp->last_mask = mask;
  qp->real_state = qp->state = attr->qp_state;
  if (qp->real_state == 6) for (int i = 0; i < qp->receives; i++) complete(qp->recv_cq, qp->receive_id[i], 5, 128, 0, qp->qp_num);
  if (qp->real_state == 6 || qp->real_state == 0) qp->receives = 0;
  return 0;
}
int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) {
  if (qp->dead) used_after_end++;
  int rc = fails("ibv_query_qp"); if (rc) return rc;
  (void) mask; memset(attr, 0, sizeof *attr); memset(init, 0, sizeof *init);
  attr->qp_state = qp->state = qp->real_state;
  return 0;
}
void fake_break(struct ibv_qp *qp) { qp->real_state = 6; }
void fake_last_modify(struct ibv_qp *qp, unsigned char *attr, int *mask) { memcpy(attr, qp->last_attr, 144); *mask = qp->last_mask; }

int fake_raise(struct ibv_context *context, void *element, int type) {
  struct fake_context *fake = (struct fake_context *) ((char *) context - offsetof(struct fake_context, context));
  struct ibv_async_event event = { { element }, type };
  return write(fake->async_writer, &event, sizeof event) == sizeof event ? 0 : errno;
}
int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event) {
  if (fails("ibv_get_async_event")) return -1;
  if (read(context->async_fd, event, sizeof *event) != sizeof *event) return -1;
  ((struct fake_context *) ((char *) context - offsetof(struct fake_context, context)))->events++;
  return 0;
}
void ibv_ack_async_event(struct ibv_async_event *event) { (void) event; }

int ibv_resize_cq(struct ibv_cq *cq, int cqe) { int rc = fails("ibv_resize_cq"); if (!rc) cq->cqe = cqe + 3; return rc; }
int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, uint16_t *key) {
  if (fails("ibv_query_pkey")) return -1;
  (void) context; (void) port; (void) index; *key = 0xFFFF; return 0;
}
struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr) {
  if (fails("ibv_create_ah")) return 0;
  (void) attr;
  struct ibv_ah *ah = made(sizeof *ah);
  ah->context = pd->context; ah->pd = pd;
  return ah;
}
int ibv_destroy_ah(struct ibv_ah *ah) { int rc = fails("ibv_destroy_ah"); if (rc) return rc; free(ah); living--; return 0; }
struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr) {
  if (fails("ibv_create_srq")) return 0;
  struct ibv_srq *srq = made(sizeof *srq);
  srq->context = pd->context; srq->pd = pd; srq->handle = 4242; srq->attr = attr->attr;
  return srq;
}
int ibv_destroy_srq(struct ibv_srq *srq) { int rc = fails("ibv_destroy_srq"); return rc ? rc : ended(&srq->dead); }
int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask) {
  int rc = fails("ibv_modify_srq"); if (rc) return rc;
  if (mask & 1) srq->attr.max_wr = attr->max_wr;
  if (mask & 2) srq->attr.srq_limit = attr->srq_limit;
  return 0;
}
int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr) {
  int rc = fails("ibv_query_srq"); if (rc) return rc;
  *attr = srq->attr; return 0;
}
int ibv_is_fork_initialized(void) { return 2; }
int ibv_query_qp_data_in_order(struct ibv_qp *qp, int opcode, uint32_t flags) { (void) qp; (void) opcode; (void) flags; return 1; }
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access) {
  (void) iova; (void) access;
  if (fd < 0) { errno = EBADF; return 0; }
  return region(pd, (void *) offset, length, "ibv_reg_dmabuf_mr");
}
