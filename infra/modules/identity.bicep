// A managed identity, and the only service account that may use it.
param location string
param name string
param issuer string
param namespace string
param account string

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: name
  location: location
}

resource federation 'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials@2023-01-31' = {
  parent: identity
  name: account
  properties: {
    issuer: issuer
    subject: 'system:serviceaccount:${namespace}:${account}'
    audiences: ['api://AzureADTokenExchange']
  }
}

output clientId string = identity.properties.clientId
output principalId string = identity.properties.principalId
