// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jmx;

import javax.management.ConstructorParameters;

/**
 * One queue pair of a channel, as JMX shows it. The getters repeat the components: before Java 21,
 * JMX maps getters only.
 *
 * @param number among all that the channel ever had, from 0; the same at both ends
 * @param nic the local device, its port and its interface
 * @param state {@code LIVE}, {@code FAILING}, {@code DRAINING} or {@code GONE}
 * @param primary whether it carries the control messages
 */
public record RailStatus(int number, String nic, String state, boolean primary) {
  @ConstructorParameters({"number", "nic", "state", "primary"})
  public RailStatus {}

  public int getNumber() {
    return number;
  }

  public String getNic() {
    return nic;
  }

  public String getState() {
    return state;
  }

  public boolean isPrimary() {
    return primary;
  }
}
