package io.meshtransport.verbs;

/**
 * Something that happened to a device, port or queue pair outside any work request (man
 * ibv_get_async_event).
 *
 * @param type what happened
 * @param subject number of the port, queue pair or shared receive queue it happened to, 0 for the
 *     device
 */
public record AsyncEvent(Type type, int subject) {
  /** Kinds, named as enum ibv_event_type names them. */
  public enum Type {
    CQ_ERR,
    QP_FATAL,
    QP_REQ_ERR,
    QP_ACCESS_ERR,
    COMM_EST,
    PORT_ACTIVE,
    PORT_ERR,
    GID_CHANGE,
    DEVICE_FATAL,
    SRQ_ERR,
    SRQ_LIMIT_REACHED,
    LAST_WQE_REACHED,
    OTHER
  }
}
