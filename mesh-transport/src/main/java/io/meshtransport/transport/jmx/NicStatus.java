// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jmx;

import java.util.List;
import javax.management.ConstructorParameters;

/**
 * One NIC of a transport, as JMX shows it. The getters repeat the components: before Java 21, JMX
 * maps getters only.
 *
 * @param name name of the device, as in {@code mlx5_1}
 * @param netdev name of its network interface
 * @param provider {@code ibverbs} or {@code soft}
 * @param addresses its addresses with their prefix lengths
 * @param speedMbps megabits per second; 0 if unknown
 * @param carrier whether it is up and has a carrier
 */
public record NicStatus(
    String name,
    String netdev,
    String provider,
    List<String> addresses,
    int speedMbps,
    boolean carrier) {
  @ConstructorParameters({"name", "netdev", "provider", "addresses", "speedMbps", "carrier"})
  public NicStatus {}

  public String getName() {
    return name;
  }

  public String getNetdev() {
    return netdev;
  }

  public String getProvider() {
    return provider;
  }

  public List<String> getAddresses() {
    return addresses;
  }

  public int getSpeedMbps() {
    return speedMbps;
  }

  public boolean isCarrier() {
    return carrier;
  }
}
