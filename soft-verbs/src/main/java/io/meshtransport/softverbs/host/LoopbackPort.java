// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.host;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.PortState;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The port of a soft device that has one address of 127.0.0.0/8, all of which belong to this host
 * without being configured. For meshes within one host. Any thread.
 */
public final class LoopbackPort implements DevicePort {
  private static final String NETDEV = "lo";
  private static final int IFINDEX = 1;

  /** As in {@code lo-127.77.1.1}. */
  private static final Pattern NAME = Pattern.compile("lo-(127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3})");

  private final Gid gid;

  private LoopbackPort(Gid gid) {
    this.gid = gid;
  }

  public static boolean isNamedBy(String deviceName) {
    return NAME.matcher(deviceName).matches();
  }

  /**
   * @throws UnknownHostException if a part of the address is above 255
   */
  public static LoopbackPort of(String deviceName) throws UnknownHostException {
    Matcher name = NAME.matcher(deviceName);
    if (!name.matches()) {
      throw new UnknownHostException(deviceName);
    }
    return new LoopbackPort(Gid.of(InetAddress.getByName(name.group(1))));
  }

  @Override
  public List<GidEntry> gidTable() {
    return List.of(new GidEntry(gid, 0, GidType.SOFT, NETDEV, IFINDEX));
  }

  @Override
  public PortState state() {
    return PortState.ACTIVE;
  }

  @Override
  public int activeMtuBytes() {
    return 4096;
  }
}
