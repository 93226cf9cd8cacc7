// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/** What channels promise, over connections of the smallest implementation. */
class InMemoryConnectionContractTest extends ConnectionContractTest {
  @Override
  protected Transport openNode(String name) {
    return new InMemoryTransport(name);
  }
}
