// One server and one database for both services that store rows. Passwords are disabled: each service authenticates with its identity, as a
// role of ../roles.sql that can't change tables. The administrator runs --migrate.
param location string
param name string
param sku string
@description('Size of the disk in GB. At least its current size, which grows by itself.')
param storage int
param database string
param administrator object
@description('Name of the deploying user or service principal, which creates the roles of the services (roles.sql). Empty to create them manually.')
param deployerName string
@allowed(['User', 'ServicePrincipal'])
param deployerType string

resource server 'Microsoft.DBforPostgreSQL/flexibleServers@2024-08-01' = {
  name: name
  location: location
  sku: { name: sku, tier: startsWith(sku, 'Standard_B') ? 'Burstable' : 'GeneralPurpose' }
  properties: {
    version: '17'
    storage: { storageSizeGB: storage, autoGrow: 'Enabled' } // below 5 GB of free space, the server becomes read-only
    authConfig: { activeDirectoryAuth: 'Enabled', passwordAuth: 'Disabled', tenantId: tenant().tenantId }
  }
}

// 0.0.0.0 admits all addresses in Azure; authentication requires an identity of this deployment.
resource azureOnly 'Microsoft.DBforPostgreSQL/flexibleServers/firewallRules@2024-08-01' = {
  parent: server
  name: 'azure-only'
  properties: { startIpAddress: '0.0.0.0', endIpAddress: '0.0.0.0' }
}

resource login 'Microsoft.DBforPostgreSQL/flexibleServers/administrators@2024-08-01' = {
  parent: server
  name: administrator.principalId
  properties: { principalName: administrator.name, principalType: 'ServicePrincipal', tenantId: tenant().tenantId }
  dependsOn: [azureOnly] // the server accepts one change at a time
}

// Created while the migrating identity is the only administrator, which then owns the database. Without an administrator, Azure's own
// role would own it, and no other role could create tables.
resource rows 'Microsoft.DBforPostgreSQL/flexibleServers/databases@2024-08-01' = {
  parent: server
  name: database
  dependsOn: [login]
}

resource deployerLogin 'Microsoft.DBforPostgreSQL/flexibleServers/administrators@2024-08-01' = if (!empty(deployerName)) {
  parent: server
  name: deployer().objectId
  properties: { principalName: deployerName, principalType: deployerType, tenantId: tenant().tenantId }
  dependsOn: [rows]
}

output id string = server.id
output host string = server.properties.fullyQualifiedDomainName
