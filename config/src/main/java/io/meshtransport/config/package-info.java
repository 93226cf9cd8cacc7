// SPDX-License-Identifier: Apache-2.0
/**
 * The MESH_* settings as one checked, immutable record. The environment, the system properties and
 * the secret's file are read here, once, and nowhere else. Everything is a value; any thread may
 * call anything.
 */
package io.meshtransport.config;
