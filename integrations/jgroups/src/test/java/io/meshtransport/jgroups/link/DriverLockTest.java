// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class DriverLockTest {
  @Test
  void shouldLetOneThreadDriveAtATime() {
    ReentrantLock lock = new ReentrantLock();
    DriverLock driver = new DriverLock(lock.newCondition());
    lock.lock();
    assertFalse(driver.isHeld());
    driver.acquire();
    assertTrue(driver.isHeld());
    assertThrows(IllegalStateException.class, driver::acquire);
    driver.release();
    assertFalse(driver.isHeld());
    driver.acquire();
  }
}
