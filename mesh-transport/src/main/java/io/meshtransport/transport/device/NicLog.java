// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** What the log says when NICs of the host change: a line for each change. Holds nothing. */
final class NicLog {
  private static final Logger LOG = LogManager.getLogger(NicLog.class);

  private NicLog() {}

  /** A NIC is open at the start, and its port has no carrier. */
  static void withoutCarrier(Nic nic) {
    LOG.warn(
        "{} has the address {} but is {}, without a carrier: check that it is set up (`ip link set {} up`), its"
            + " cable, and that the machine at the other end is on. It is used as soon as it has one.",
        nic.label(),
        nic.addresses(),
        nic.state(),
        nic.netdev());
  }

  /** A NIC was opened. */
  static void came(Nic nic) {
    LOG.info(
        "{} {} is there now and is used from here on{}",
        nic.label(),
        nic.addresses(),
        isActive(nic) ? "" : ", once it has a carrier");
  }

  /** A NIC cannot be opened, for a reason that was not logged before. */
  static void refused(String why) {
    LOG.warn(
        "{}{} It is tried again now and then; other NICs are not affected.",
        why,
        why.endsWith(".") ? "" : ".");
  }

  /**
   * What a look says of a NIC that is open.
   *
   * @param isBack whether it had no address at the look before
   */
  static void seen(Nic was, Nic nic, boolean isBack) {
    if (isBack) {
      LOG.info("{} is back with {}", nic.label(), nic.addresses());
    } else if (!addresses(was).equals(addresses(nic))) {
      LOG.info("{} has {} now, in place of {}", nic.label(), nic.addresses(), was.addresses());
    }
    if (isActive(was) && !isActive(nic)) {
      LOG.warn("{} {} has lost its carrier", nic.label(), nic.addresses());
    } else if (!isActive(was) && isActive(nic)) {
      LOG.info("{} {} has a carrier now", nic.label(), nic.addresses());
    }
  }

  private static List<String> addresses(Nic nic) {
    return nic.addresses().stream().map(NicAddress::toString).toList();
  }

  /** A NIC has no address any more. */
  static void withdrawn(Nic nic) {
    LOG.warn(
        "{} has lost its addresses {}: channels over it stay, new ones go elsewhere until it has one"
            + " again",
        nic.label(),
        nic.addresses());
  }

  /** A NIC's interface has another name: it is another NIC to new channels. */
  static void renamed(Nic nic, String why) {
    LOG.info("{}: {}; channels over it stay", nic.label(), why);
  }

  /** A NIC is gone. */
  static void gone(Nic nic, String why) {
    LOG.warn("{} is gone from this host: {}. Its channels end.", nic.label(), why);
  }

  static boolean isActive(Nic nic) {
    return nic.state() == PortState.ACTIVE;
  }
}
