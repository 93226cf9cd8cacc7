// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.directory.Directory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.logging.Log;
import org.jgroups.protocols.TP;
import org.jgroups.stack.Protocol;

/**
 * The members of the group by its last view; sends suspicions up the stack. Any thread may call it.
 */
final class GroupMembers {
  /** VERIFY_SUSPECT and VERIFY_SUSPECT2 probe a suspect before it is excluded. */
  private static final String VERIFIER = "VERIFY_SUSPECT";

  private final TP transport;
  private final Log log;
  private final AtomicLong suspicions = new AtomicLong();
  private final Set<Address> suspected = ConcurrentHashMap.newKeySet();
  private final Set<Address> former = new LinkedHashSet<>();

  /** Those whose process has ended, so that they are suspected in later views as well. */
  private final Set<Address> ended = new LinkedHashSet<>();

  private volatile List<Address> present = List.of();

  GroupMembers(TP transport, Log log) {
    this.transport = transport;
    this.log = log;
  }

  /** Whether a protocol above verifies suspicions, so that a wrong one does no harm. */
  static boolean areSuspectsVerified(Protocol transport) {
    for (Protocol above = transport.getUpProtocol(); above != null; ) {
      if (above.getClass().getSimpleName().startsWith(VERIFIER)) {
        return true;
      }
      above = above.getUpProtocol();
    }
    return false;
  }

  /**
   * The group has changed.
   *
   * @return members in it whose process is known to have ended
   */
  synchronized List<Address> viewChanged(View view) {
    former.addAll(present);
    present = List.copyOf(view.getMembers());
    present.forEach(former::remove);
    trim(former);
    suspected.retainAll(present);
    return present.stream().filter(ended::contains).toList();
  }

  /** The process of a member has ended, whether it is in the view or not. */
  synchronized void processEnded(Address member) {
    ended.add(member);
    trim(ended);
  }

  private static void trim(Set<Address> oldestFirst) {
    while (oldestFirst.size() > Directory.MAX_NODES) {
      oldestFirst.remove(oldestFirst.iterator().next());
    }
  }

  /** This member has left the group: there are no members until the next view. */
  synchronized void left() {
    present = List.of();
    former.clear();
    ended.clear();
    suspected.clear();
  }

  /** Whether it was in a view, and is in the last one no more. */
  synchronized boolean hasLeft(Address member) {
    return former.contains(member);
  }

  boolean has(Address member) {
    return present.contains(member);
  }

  /** Whether a member has that address. */
  boolean isAnyAt(PhysicalAddress place) {
    return present.stream()
        .anyMatch(member -> place.equals(transport.getPhysicalAddressFromCache(member)));
  }

  /**
   * Has the stack verify that a member is alive; does nothing if it is not a member, or this one.
   */
  void suspect(Address member) {
    if (!has(member) || member.equals(transport.getAddress())) {
      return;
    }
    suspicions.incrementAndGet();
    if (suspected.add(member)) {
      log.info("%s: the process of %s is gone; suspecting it", transport.getAddress(), member);
    }
    // VERIFY_SUSPECT removes this member itself from the list, so the list must be mutable.
    transport.getUpProtocol().up(new Event(Event.SUSPECT, new ArrayList<>(List.of(member))));
  }

  /** How often a member was suspected. */
  long suspicions() {
    return suspicions.get();
  }
}
