// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.nic.HostInterface;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.LinkedInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InterfaceWatchTest {
  private final List<LinkedInterface> host = new ArrayList<>();
  private boolean hasCarrier = true;
  private int scans;
  private Object fingerprint = 0;
  private final InterfaceWatch watch =
      new InterfaceWatch(this::scan, () -> fingerprint, one -> hasCarrier);

  private Runnable duringScan = () -> {};

  private List<LinkedInterface> scan() {
    scans++;
    duringScan.run();
    return List.copyOf(host);
  }

  private static LinkedInterface linked(String name, int index, String address) {
    return new LinkedInterface(
        new HostInterface(name, index, true, false, 1500, List.of(LinkAddress.parse(address))),
        10_000);
  }

  @Test
  void shouldReportInterfacesThatComeChangeAndGo() {
    host.add(linked("none-such-1", 70001, "10.0.1.1/24"));
    List<CableInterface> first =
        List.of(
            new CableInterface(
                70001, "none-such-1", 1500, 10_000, List.of(LinkAddress.parse("10.0.1.1/24"))));
    assertEquals(Optional.of(first), watch.poll(0));
    host.set(0, linked("none-such-1", 70001, "10.0.9.1/24"));
    fingerprint = 1;
    assertEquals(Optional.empty(), watch.poll(InterfaceWatch.CARRIER_NS), "no scan yet");
    assertEquals(InterfaceWatch.CARRIER_NS * 2, watch.nextDueNs());
    assertEquals(
        "10.0.9.1/24",
        watch.poll(InterfaceWatch.CHANGE_NS).orElseThrow().get(0).addresses().get(0).toString());
    assertEquals(Optional.empty(), watch.poll(2 * InterfaceWatch.CHANGE_NS));
    host.clear();
    fingerprint = 2;
    assertEquals(Optional.of(List.of()), watch.poll(3 * InterfaceWatch.CHANGE_NS));
  }

  @Test
  void shouldScanNowAndThenForWhatNoFingerprintShows() {
    host.add(linked("none-such-1", 70001, "10.0.1.1/24"));
    watch.poll(0);
    for (long nowNs = 0; nowNs < InterfaceWatch.SCAN_NS; nowNs += InterfaceWatch.CARRIER_NS) {
      watch.poll(nowNs);
    }
    assertEquals(1, scans);
    host.clear();
    assertEquals(Optional.of(List.of()), watch.poll(InterfaceWatch.SCAN_NS));
  }

  /** The fingerprint of now is that of before the cut. */
  @Test
  void shouldReportACableThatIsPluggedInAgainAtOnce() {
    LinkedInterface cable = linked("none-such-1", 70001, "10.0.1.1/24");
    host.add(cable);
    assertTrue(watch.poll(0).isPresent());
    hasCarrier = false;
    host.clear();
    fingerprint = "cut";
    assertTrue(watch.poll(InterfaceWatch.CARRIER_NS).isPresent());
    hasCarrier = true;
    host.add(cable);
    fingerprint = 0;
    assertTrue(watch.poll(InterfaceWatch.CHANGE_NS).isPresent());
  }

  @Test
  void shouldScanAgainWhereSomethingChangesDuringAScan() {
    duringScan = () -> fingerprint = "changed";
    watch.poll(0);
    duringScan = () -> {};
    host.add(linked("none-such-1", 70001, "10.0.1.1/24"));
    assertTrue(watch.poll(InterfaceWatch.CHANGE_NS).isPresent());
  }

  @Test
  void shouldReportALostCarrierAtOnce() {
    host.add(linked("none-such-1", 70001, "10.0.1.1/24"));
    watch.poll(0);
    hasCarrier = false;
    host.clear();
    assertEquals(Optional.empty(), watch.poll(InterfaceWatch.CARRIER_NS - 1));
    assertEquals(Optional.of(List.of()), watch.poll(InterfaceWatch.CARRIER_NS));
  }
}
