using Azure.Core.Extensions;
using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;

namespace Microsoft.Extensions.Azure;

/// <summary>Registers clients with <c>AddAzureClients</c> of the package Microsoft.Extensions.Azure.</summary>
public static class ServiceBusClientBuilderExtensions
{
    public static IAzureClientBuilder<ServiceBusClient, ServiceBusClientOptions> AddServiceBusClient<TBuilder>(
        this TBuilder builder, string connectionString)
        where TBuilder : IAzureClientFactoryBuilder =>
        builder.RegisterClientFactory<ServiceBusClient, ServiceBusClientOptions>(
            options => new ServiceBusClient(connectionString, options));

    public static IAzureClientBuilder<ServiceBusClient, ServiceBusClientOptions> AddServiceBusClient<TBuilder, TConfiguration>(
        this TBuilder builder, TConfiguration configuration)
        where TBuilder : IAzureClientFactoryBuilderWithConfiguration<TConfiguration> =>
        builder.RegisterClientFactory<ServiceBusClient, ServiceBusClientOptions>(configuration);

    /// <summary>The client needs the build with the Azure SDK.</summary>
    public static IAzureClientBuilder<ServiceBusClient, ServiceBusClientOptions> AddServiceBusClientWithNamespace<TBuilder>(
        this TBuilder builder, string fullyQualifiedNamespace)
        where TBuilder : IAzureClientFactoryBuilderWithCredential =>
        builder.RegisterClientFactory<ServiceBusClient, ServiceBusClientOptions>(
            (options, credential) => new ServiceBusClient(fullyQualifiedNamespace, credential, options));

    public static IAzureClientBuilder<ServiceBusAdministrationClient, ServiceBusAdministrationClientOptions>
        AddServiceBusAdministrationClient<TBuilder>(this TBuilder builder, string connectionString)
        where TBuilder : IAzureClientFactoryBuilder =>
        builder.RegisterClientFactory<ServiceBusAdministrationClient, ServiceBusAdministrationClientOptions>(
            options => new ServiceBusAdministrationClient(connectionString, options));

    public static IAzureClientBuilder<ServiceBusAdministrationClient, ServiceBusAdministrationClientOptions>
        AddServiceBusAdministrationClient<TBuilder, TConfiguration>(this TBuilder builder, TConfiguration configuration)
        where TBuilder : IAzureClientFactoryBuilderWithConfiguration<TConfiguration> =>
        builder.RegisterClientFactory<ServiceBusAdministrationClient, ServiceBusAdministrationClientOptions>(configuration);

    /// <summary>The client needs the build with the Azure SDK.</summary>
    public static IAzureClientBuilder<ServiceBusAdministrationClient, ServiceBusAdministrationClientOptions>
        AddServiceBusAdministrationClientWithNamespace<TBuilder>(this TBuilder builder, string fullyQualifiedNamespace)
        where TBuilder : IAzureClientFactoryBuilderWithCredential =>
        builder.RegisterClientFactory<ServiceBusAdministrationClient, ServiceBusAdministrationClientOptions>(
            (options, credential) => new ServiceBusAdministrationClient(fullyQualifiedNamespace, credential, options));
}
