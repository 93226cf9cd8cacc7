// SPDX-License-Identifier: Apache-2.0
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
    CQ_ERR("a completion queue broke"),
    QP_FATAL("the connection broke"),
    QP_REQ_ERR("the peer's device sent a malformed request"),
    QP_ACCESS_ERR("a request was against the rights of the memory here"),
    COMM_EST("the connection is established"),
    PORT_ACTIVE("the port came up"),
    PORT_ERR("the port went down"),
    GID_CHANGE("the port's addresses changed"),
    DEVICE_FATAL("the device failed"),
    SRQ_ERR("a shared receive queue broke"),
    SRQ_LIMIT_REACHED("a shared receive queue runs low"),
    LAST_WQE_REACHED("a queue pair took its last receive from a shared queue"),
    OTHER("something this library does not know");

    private final String meaning;

    Type(String meaning) {
      this.meaning = meaning;
    }

    /** A clause for users. */
    public String meaning() {
      return meaning;
    }
  }
}
