// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.HostFingerprint;
import io.meshtransport.nic.HostInterface;
import io.meshtransport.nic.Inventory;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.verbs.VerbsDevice;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A host whose interfaces a test changes. Confined to the test's thread. */
final class MadeUpNicHost implements NicHost {
  /** An interface; without an address it is there, and no NIC. */
  private record Netdev(int ifindex, boolean hasCarrier, List<LinkAddress> addresses) {}

  private final SimulatedFabric fabric =
      new SimulatedFabric(1, new SimulatedCable(1_000, 0, 1_000_000_000L));
  private final Map<String, Netdev> netdevs = new LinkedHashMap<>();
  private final Map<String, WatchedDevice> devices = new HashMap<>();
  private String unregistrable = "";
  private UncheckedIOException unreadable;
  private Runnable onOpen = () -> {};
  private int opened;
  private int looks;

  /** An interface as it is from now on. */
  MadeUpNicHost with(String name, int ifindex, boolean hasCarrier, String... addresses) {
    List<LinkAddress> links = List.of(addresses).stream().map(LinkAddress::parse).toList();
    netdevs.put(name, new Netdev(ifindex, hasCarrier, links));
    return this;
  }

  void remove(String name) {
    netdevs.remove(name);
  }

  /** The host cannot be read while this is not null. */
  void unreadable(UncheckedIOException why) {
    unreadable = why;
  }

  /** Of this interface's device, from the next time that it is opened. */
  void unregistrable(String name) {
    unregistrable = name;
  }

  /** The device that was opened last for an interface. */
  WatchedDevice device(String name) {
    return devices.get(name);
  }

  /** Run before each device is opened, from now on. */
  void onOpen(Runnable action) {
    onOpen = action;
  }

  /** How many devices were opened. */
  int opened() {
    return opened;
  }

  /** How often everything was looked at. */
  int looks() {
    return looks;
  }

  @Override
  public boolean isChanging() {
    return true;
  }

  @Override
  public HostFingerprint fingerprint() {
    if (unreadable != null) {
      throw unreadable;
    }
    List<HostInterface> interfaces = new ArrayList<>();
    List<String> operstates = new ArrayList<>();
    netdevs.forEach(
        (name, netdev) -> {
          interfaces.add(
              new HostInterface(name, netdev.ifindex(), true, false, 1500, netdev.addresses()));
          operstates.add(netdev.hasCarrier() ? "up" : "down");
        });
    return new HostFingerprint(interfaces, operstates, List.of());
  }

  @Override
  public Inventory scan() {
    looks++;
    List<Nic> active = new ArrayList<>();
    List<Nic> inactive = new ArrayList<>();
    netdevs.forEach(
        (name, netdev) -> {
          if (!netdev.addresses().isEmpty()) {
            (netdev.hasCarrier() ? active : inactive).add(nic(name, netdev));
          }
        });
    return new Inventory(active, inactive, List.of());
  }

  private static Nic nic(String name, Netdev netdev) {
    return new Nic(
        "soft",
        name,
        1,
        name,
        netdev.ifindex(),
        netdev.addresses().stream().map(link -> new NicAddress(link, row(name, link))).toList(),
        1000,
        1024,
        netdev.hasCarrier() ? PortState.ACTIVE : PortState.DOWN,
        "",
        -1);
  }

  private static GidEntry row(String name, LinkAddress link) {
    return new GidEntry(Gid.of(link.address()), 0, GidType.SOFT, name, 0);
  }

  @Override
  public VerbsDevice open(String device) {
    onOpen.run();
    WatchedDevice watched = new WatchedDevice(fabric.open(device + "#" + opened++));
    watched.gidTable(
        netdevs.get(device).addresses().stream()
            .map(link -> row(device, link))
            .toArray(GidEntry[]::new));
    if (device.equals(unregistrable)) {
      watched.refuse("register");
    }
    devices.put(device, watched);
    return watched.device();
  }
}
