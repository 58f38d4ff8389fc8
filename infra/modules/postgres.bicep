// One server and one database for both services that store rows. Passwords are off: each service logs in with its identity, as a role of
// ../roles.sql that may not change tables. The administrator is who runs --migrate.
param location string
param name string
param sku string
param database string
param administrator object
@description('Name of the person or service principal who deploys, and makes the roles of the services (roles.sql). Empty: they are made by hand.')
param deployerName string
@allowed(['User', 'ServicePrincipal'])
param deployerType string

resource server 'Microsoft.DBforPostgreSQL/flexibleServers@2024-08-01' = {
  name: name
  location: location
  sku: { name: sku, tier: startsWith(sku, 'Standard_B') ? 'Burstable' : 'GeneralPurpose' }
  properties: {
    version: '17'
    storage: { storageSizeGB: 32, autoGrow: 'Enabled' } // below 5 GB of free space, the server becomes read-only
    authConfig: { activeDirectoryAuth: 'Enabled', passwordAuth: 'Disabled', tenantId: tenant().tenantId }
  }
}

// 0.0.0.0 admits all addresses inside Azure; log-in needs an identity of this deployment.
resource azureOnly 'Microsoft.DBforPostgreSQL/flexibleServers/firewallRules@2024-08-01' = {
  parent: server
  name: 'azure-only'
  properties: { startIpAddress: '0.0.0.0', endIpAddress: '0.0.0.0' }
}

resource login 'Microsoft.DBforPostgreSQL/flexibleServers/administrators@2024-08-01' = {
  parent: server
  name: administrator.principalId
  properties: { principalName: administrator.name, principalType: 'ServicePrincipal', tenantId: tenant().tenantId }
  dependsOn: [azureOnly] // the server takes one change at a time
}

// The administrator owns it, who is the only one by then. Before there is one Azure's own role does, and nobody may create tables.
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
