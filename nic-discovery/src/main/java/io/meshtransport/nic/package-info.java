// SPDX-License-Identifier: Apache-2.0
/**
 * Which ports of this host are usable, and why the others are not. Everything here is a value or a
 * pure reading of the host: nothing is opened, kept or changed, and any thread may call anything.
 */
package io.meshtransport.nic;
