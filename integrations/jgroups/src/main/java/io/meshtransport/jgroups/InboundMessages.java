// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.jgroups.directory.DirectoryMessage;
import io.meshtransport.jgroups.directory.MemberAddress;
import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.jgroups.directory.NodeIds;
import io.meshtransport.jgroups.link.BufferDataInput;
import io.meshtransport.jgroups.link.InboundLink;
import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jgroups.logging.Log;

/**
 * Handles what peers send, on their links' threads: bundles for JGroups, introductions for the
 * directory.
 */
final class InboundMessages implements InboundLink.Handler {
  /** A peer must not fill the log. */
  private static final int MAX_WARNINGS = 100;

  private final MESH mesh;
  private final Supplier<MeshRuntime> current;
  private final Log log;
  private final AtomicLong violations = new AtomicLong();

  /**
   * @param current gives null before the start and after the stop
   */
  InboundMessages(MESH mesh, Supplier<MeshRuntime> current, Log log) {
    this.mesh = mesh;
    this.current = current;
    this.log = log;
  }

  @Override
  public NodeIds ids() {
    MeshRuntime now = current.get();
    if (now == null) {
      throw new IllegalStateException("MESH is not started");
    }
    return now.transport()::nodeId;
  }

  @Override
  public void directory(InboundLink link, DirectoryMessage message) throws ProtocolException {
    MeshRuntime now = current.get();
    if (now != null) {
      now.introductions().verify(message.sender(), link.openerId());
      // First: the directory's listeners may request the member of a process that this one
      // replaces.
      introduced(now, message);
      take(now, message);
      now.inboundLinks().introduced(link, message.sender());
    }
  }

  /** A node that is not entered is not tracked: there may be any number of them. */
  private static void take(MeshRuntime now, DirectoryMessage message) throws ProtocolException {
    try {
      now.introductions().accept(message);
    } finally {
      if (!now.directory().isIntroduced(message.sender().id())) {
        now.failureDetector().removed(message.sender().id());
      }
    }
  }

  private void introduced(MeshRuntime now, DirectoryMessage message) {
    String id = message.sender().id();
    try {
      now.failureDetector().introduced(id, MemberAddress.read(message.member()));
    } catch (IOException e) {
      log.debug("%s: of node %s: %s", now.directory().self(), message.sender(), e.getMessage());
    }
  }

  @Override
  public void bundle(Node sender, ByteBuffer bundle) {
    try {
      Delivery.deliver(mesh, sender.overlay(), new BufferDataInput(bundle), bundle.remaining());
    } catch (Exception | StackOverflowError | LinkageError e) {
      log.error("a bundle from node %s cannot be read: %s", sender, e);
    }
  }

  @Override
  public void ended(InboundLink link, Node sender, TransportException why) {
    MeshRuntime now = current.get();
    if (now != null) {
      now.inboundLinks().ended(link);
      log.debug(
          "%s: the link from %s has ended: %s",
          now.directory().self(), sender, why == null ? "closed here" : why.summary());
      if (why != null && sender != null) {
        now.failureDetector().ended(sender.id(), why);
        now.links().check(sender.id());
      }
      if (sender != null) {
        now.sourceEnded(sender.id());
      }
    }
  }

  @Override
  public void protocolViolation(Node sender, String peer, ProtocolException why) {
    String text = "The link from %s (%s) is closed, because what it sends is not MESH: %s";
    if (violations.incrementAndGet() <= MAX_WARNINGS) {
      log.warn(text, sender, peer, why.getMessage());
    } else {
      log.debug(text, sender, peer, why.getMessage());
    }
    MeshRuntime now = current.get();
    if (now != null) {
      now.inboundLinks().countRefused();
    }
  }
}
