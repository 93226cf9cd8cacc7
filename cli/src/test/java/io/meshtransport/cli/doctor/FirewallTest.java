// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.cli.doctor.Ailment.Severity;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link Firewall}. */
class FirewallTest {
  private static final Firewall.Port HELLOS = new Firewall.Port("udp", 4793, "hellos");

  private static List<Ailment> of(String rules) {
    return Firewall.of(List.of(rules), List.of(HELLOS));
  }

  @Test
  void shouldFindARuleThatDropsThePort() {
    for (String each :
        List.of(
            "-A INPUT -p udp -m udp --dport 4793 -j DROP",
            "-A INPUT -p udp -m multiport --dports 53,4790:4799 -j REJECT",
            "    udp dport { 22, 4793 } counter drop",
            "    udp dport 4000-5000 reject")) {
      assertEquals(Severity.BLOCKS, of(each).get(0).severity(), each);
    }
    assertTrue(of("udp dport 4793 drop").get(0).remedy().contains("udp dport 4793 accept"));
  }

  @Test
  void shouldLeaveOtherPortsAlone() {
    assertEquals(List.of(), of("-A INPUT -p tcp --dport 4793 -j DROP"));
    assertEquals(List.of(), of("-A INPUT -p udp --dport 47930 -j DROP"));
    assertEquals(List.of(), of("-A INPUT -p udp --sport 4793 -j DROP"));
    assertEquals(List.of(), of(""));
  }

  @Test
  void shouldWarnOfAPolicyThatDrops() {
    assertEquals(Severity.WARNS, of("-P INPUT DROP").get(0).severity());
    String hook = "type filter hook input priority filter; policy drop;\n";
    assertEquals(Severity.WARNS, of(hook).get(0).severity());
    assertEquals(List.of(), of(hook + "udp dport 4793 accept"));
    assertEquals(List.of(), of("-P INPUT ACCEPT"));
    assertEquals(List.of(), of("type filter hook forward priority filter; policy drop;"));
  }
}
