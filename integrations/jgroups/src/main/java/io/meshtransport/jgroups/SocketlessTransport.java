// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jgroups.annotations.Property;
import org.jgroups.logging.Log;
import org.jgroups.protocols.TP;
import org.jgroups.stack.Protocol;

/**
 * A transport that replaces one with sockets, in a stack that was written for that one. Attributes
 * of sockets are read, named once in the log, and ignored; otherwise JGroups would refuse them.
 * Attributes for encryption ({@code tls.*}) are still refused: a user who configures encryption
 * must not run without it unawares. Protocols that bypass the transport are refused: those that
 * dial members at their address in the stack would take all of them for dead, and MPING would find
 * only some of them.
 */
abstract class SocketlessTransport extends TP {
  private static final String IGNORED =
      "An attribute of sockets; ignored, because this transport has none";

  /** Dial the address that the stack has for a member, and suspect the member if the dial fails. */
  private static final Set<String> DIALLERS = Set.of("FD_SOCK", "FD_SOCK2");

  /** Open sockets of their own at one address of each node, and the replacement of each. */
  private static final Map<String, String> LISTENERS =
      Map.of(
          "STATE_SOCK",
          "pbcast.STATE_TRANSFER, or pbcast.STATE for a state that is not to be in memory whole, in"
              + " its place",
          "SSL_KEY_EXCHANGE",
          "SYM_ENCRYPT with a key store, or ASYM_ENCRYPT without key exchange, in its place");

  // TCP's.
  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String reaper_interval;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String conn_expire_time;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String recv_buf_size;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String send_buf_size;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String sock_conn_timeout;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String peer_addr_read_timeout;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String max_length;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String tcp_nodelay;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String linger;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String use_acks;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String client_bind_addr;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String client_bind_port;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String defer_client_bind_addr;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String enable_suspect_events;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String buffered_input_stream_size;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String buffered_output_stream_size;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String log_accept_error;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String log_details;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String use_lock_to_send;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String non_blocking_sends;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String max_send_queue;

  // TCP_NIO2's.
  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String max_send_buffers;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String copy_on_partial_write;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String reader_idle_time;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String use_direct_memory;

  // UDP's.
  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String mcast_addr;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String mcast_port;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String ip_mcast;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String ip_ttl;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String tos;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String ucast_send_buf_size;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String ucast_recv_buf_size;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String mcast_send_buf_size;

  @Property(description = IGNORED, exposeAsManagedAttribute = false)
  protected String mcast_recv_buf_size;

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if a protocol of the stack dials members past the transport
   */
  @Override
  public void init() throws Exception {
    for (Protocol above = up_prot; above != null; above = above.getUpProtocol()) {
      String name = above.getClass().getSimpleName();
      if (name.equals("MPING")) {
        throw new IllegalStateException(
            "This stack has MPING, which multicasts through one interface of each node: members at"
                + " other cables would never hear it. Take it out and put"
                + " <io.meshtransport.jgroups.MESH_PING/> in its place.");
      }
      if (LISTENERS.containsKey(name)) {
        throw new IllegalStateException(
            "This stack has "
                + name
                + ", which carries its data over a socket of its own, at one address of this node:"
                + " members at other cables cannot connect to it. Take "
                + LISTENERS.get(name)
                + ".");
      }
      if (DIALLERS.contains(name)) {
        throw new IllegalStateException(
            "This stack has "
                + name
                + ", which opens sockets to members at their addresses in the stack. On a mesh those"
                + " are on no cable, so it would suspect members that live. Take "
                + name
                + " out of the stack: MESH itself suspects members whose process is gone, and FD_ALL3"
                + " with timeout=7000 and interval=1000 (milliseconds) finds the others within 10"
                + " seconds.");
      }
    }
    super.init();
    reportIgnored(log);
  }

  /** Logs the attributes that are ignored. */
  final void reportIgnored(Log to) throws IllegalAccessException {
    List<String> ignored = ignored();
    if (!ignored.isEmpty()) {
      to.warn(
          "%s has no sockets, so these attributes mean nothing here and are ignored: %s. Take them"
              + " out of the stack.",
          getClass().getSimpleName(), String.join(", ", ignored));
    }
  }

  private List<String> ignored() throws IllegalAccessException {
    List<String> given = new ArrayList<>();
    for (Field field : SocketlessTransport.class.getDeclaredFields()) {
      if (field.isAnnotationPresent(Property.class) && field.get(this) != null) {
        given.add(field.getName());
      }
    }
    return given;
  }
}
