// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * NICs that nothing new uses, and that are closed once nothing old does. Guarded by the lock of
 * {@link LocalNics}.
 */
final class RetiredNics {
  private static final Logger LOG = LogManager.getLogger(RetiredNics.class);

  private final Registrations registrations;
  private final Set<OpenNic> retired = new HashSet<>();

  /** Of those, which are gone from the host, and why. */
  private final Map<OpenNic, LocalNics.Gone> gone = new HashMap<>();

  /** And which are being closed. */
  private final Map<OpenNic, Teardown.Removal> closing = new HashMap<>();

  RetiredNics(Registrations registrations) {
    this.registrations = registrations;
  }

  boolean isEmpty() {
    return retired.isEmpty();
  }

  boolean contains(OpenNic nic) {
    return retired.contains(nic);
  }

  /** No memory is registered with it from now on. */
  void add(OpenNic nic) {
    retired.add(nic);
    registrations.removeNic(nic);
  }

  /** A NIC that was added is gone from the host: what uses it is to end. */
  LocalNics.Gone gone(OpenNic nic, String why) {
    LocalNics.Gone now = new LocalNics.Gone(nic, why);
    gone.put(nic, now);
    return now;
  }

  /** Those that are gone from the host and not closed yet. */
  List<LocalNics.Gone> allGone() {
    return List.copyOf(gone.values());
  }

  /**
   * Begins to close those that nothing uses any more.
   *
   * @return those that are closed, which are here no more
   */
  List<OpenNic> closeUnused() {
    List<OpenNic> closed = new ArrayList<>();
    for (OpenNic nic : retired) {
      if (nic.retire() && closing.computeIfAbsent(nic, this::beginClosing).isOver()) {
        closed.add(nic);
      }
    }
    closed.forEach(
        nic -> {
          closing.remove(nic);
          retired.remove(nic);
          gone.remove(nic);
        });
    return closed;
  }

  private Teardown.Removal beginClosing(OpenNic nic) {
    return nic.teardown()
        .beginLast(
            "the device",
            () -> {
              IllegalStateException leak = new IllegalStateException("not closed");
              registrations.removeNic(nic, leak);
              close(nic, leak);
              if (leak.getSuppressed().length > 0) {
                // A device that is gone may refuse to end what went with it; nothing uses it.
                LOG.debug("{}: not everything could be closed", nic.nic().label(), leak);
              }
            });
  }

  private static void close(OpenNic nic, Exception leak) {
    try {
      nic.close();
    } catch (VerbsException e) {
      leak.addSuppressed(e);
    }
  }

  /** Closes any NIC, for the transport closes; one that is being closed already just goes on. */
  Teardown.Removal beginLast(OpenNic nic) {
    Teardown.Removal begun = closing.get(nic);
    return begun == null ? nic.teardown().beginLast("the device", nic::close) : begun;
  }
}
