// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

/**
 * The functions libibverbs exports, under their own names (each has a man page). Every pointer is a
 * long. Pointer functions answer NULL and set errno, int functions answer an errno; those of events
 * answer -1 and set errno.
 */
interface ExportedVerbs {
  long ibv_get_device_list(long countAddress);

  void ibv_free_device_list(long list);

  String ibv_get_device_name(long device);

  long ibv_open_device(long device);

  int ibv_close_device(long context);

  int ibv_query_device(long context, long attributes);

  int ibv_query_port(long context, byte port, long attributes);

  int ibv_get_async_event(long context, long event);

  void ibv_ack_async_event(long event);

  long ibv_alloc_pd(long context);

  int ibv_dealloc_pd(long domain);

  long ibv_reg_mr(long domain, long address, long lengthBytes, int access);

  long ibv_reg_mr_iova2(long domain, long address, long lengthBytes, long iova, int access);

  int ibv_dereg_mr(long region);

  long ibv_create_comp_channel(long context);

  int ibv_destroy_comp_channel(long channel);

  long ibv_create_cq(long context, int depth, long userData, long channel, int vector);

  int ibv_destroy_cq(long queue);

  int ibv_get_cq_event(long channel, long queueAddress, long userDataAddress);

  void ibv_ack_cq_events(long queue, int count);

  long ibv_create_qp(long domain, long attributes);

  int ibv_modify_qp(long queuePair, long attributes, int mask);

  int ibv_query_qp(long queuePair, long attributes, int mask, long initAttributes);

  int ibv_destroy_qp(long queuePair);

  int ibv_query_pkey(long context, byte port, int index, long keyAddress);

  int ibv_resize_cq(long queue, int depth);

  long ibv_create_srq(long domain, long attributes);

  int ibv_modify_srq(long sharedQueue, long attributes, int mask);

  int ibv_query_srq(long sharedQueue, long attributes);

  int ibv_destroy_srq(long sharedQueue);

  long ibv_create_ah(long domain, long attributes);

  int ibv_destroy_ah(long addressHandle);

  /** Copied and bound by {@link DirectBinding}. */
  final class Bound implements ExportedVerbs {
    @Override
    public native long ibv_get_device_list(long countAddress);

    @Override
    public native void ibv_free_device_list(long list);

    @Override
    public native String ibv_get_device_name(long device);

    @Override
    public native long ibv_open_device(long device);

    @Override
    public native int ibv_close_device(long context);

    @Override
    public native int ibv_query_device(long context, long attributes);

    @Override
    public native int ibv_query_port(long context, byte port, long attributes);

    @Override
    public native int ibv_get_async_event(long context, long event);

    @Override
    public native void ibv_ack_async_event(long event);

    @Override
    public native long ibv_alloc_pd(long context);

    @Override
    public native int ibv_dealloc_pd(long domain);

    @Override
    public native long ibv_reg_mr(long domain, long address, long lengthBytes, int access);

    @Override
    public native long ibv_reg_mr_iova2(
        long domain, long address, long lengthBytes, long iova, int access);

    @Override
    public native int ibv_dereg_mr(long region);

    @Override
    public native long ibv_create_comp_channel(long context);

    @Override
    public native int ibv_destroy_comp_channel(long channel);

    @Override
    public native long ibv_create_cq(
        long context, int depth, long userData, long channel, int vector);

    @Override
    public native int ibv_destroy_cq(long queue);

    @Override
    public native int ibv_get_cq_event(long channel, long queueAddress, long userDataAddress);

    @Override
    public native void ibv_ack_cq_events(long queue, int count);

    @Override
    public native long ibv_create_qp(long domain, long attributes);

    @Override
    public native int ibv_modify_qp(long queuePair, long attributes, int mask);

    @Override
    public native int ibv_query_qp(long queuePair, long attributes, int mask, long initAttributes);

    @Override
    public native int ibv_destroy_qp(long queuePair);

    @Override
    public native int ibv_query_pkey(long context, byte port, int index, long keyAddress);

    @Override
    public native int ibv_resize_cq(long queue, int depth);

    @Override
    public native long ibv_create_srq(long domain, long attributes);

    @Override
    public native int ibv_modify_srq(long sharedQueue, long attributes, int mask);

    @Override
    public native int ibv_query_srq(long sharedQueue, long attributes);

    @Override
    public native int ibv_destroy_srq(long sharedQueue);

    @Override
    public native long ibv_create_ah(long domain, long attributes);

    @Override
    public native int ibv_destroy_ah(long addressHandle);
  }
}
