using Azure.Core;
using Azure.Core.Extensions;
using Azure.Messaging.ServiceBus.Administration;
using Microsoft.Extensions.Azure;

namespace Azure.Messaging.ServiceBus.Tests.DependencyInjection;

public sealed class ClientBuilderTests
{
    private const string ConnectionString = "Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true";
    private readonly Builder _builder = new();

    [Fact]
    public async Task A_client_is_made_with_the_options_that_it_was_registered_with()
    {
        _builder.AddServiceBusClient(ConnectionString);
        await using var client = ((Func<ServiceBusClientOptions, ServiceBusClient>)_builder.Registered!)(new() { Identifier = "mine" });
        Assert.Equal(("localhost", "mine"), (client.FullyQualifiedNamespace, client.Identifier));

        _builder.AddServiceBusAdministrationClient(ConnectionString);
        Assert.NotNull(((Func<ServiceBusAdministrationClientOptions, ServiceBusAdministrationClient>)_builder.Registered!)(new()));
    }

    [Fact]
    public void A_configuration_is_handed_on()
    {
        _builder.AddServiceBusClient<Builder, string>("of the client");
        Assert.Equal("of the client", _builder.Registered);
        _builder.AddServiceBusAdministrationClient<Builder, string>("of the administration");
        Assert.Equal("of the administration", _builder.Registered);
    }

    [Fact]
    public void Credentials_need_the_build_with_the_Azure_SDK()
    {
        _builder.AddServiceBusClientWithNamespace("ns.servicebus.windows.net");
        var client = (Func<ServiceBusClientOptions, TokenCredential, ServiceBusClient>)_builder.Registered!;
        _builder.AddServiceBusAdministrationClientWithNamespace("ns.servicebus.windows.net");
        var administration =
            (Func<ServiceBusAdministrationClientOptions, TokenCredential, ServiceBusAdministrationClient>)_builder.Registered!;

        Assert.Throws<NotSupportedException>(() => client(new(), null!));
        Assert.Throws<NotSupportedException>(() => administration(new(), null!));
    }

    /// <summary>Keeps what was registered last.</summary>
    private sealed class Builder : IAzureClientFactoryBuilderWithConfiguration<string>, IAzureClientFactoryBuilderWithCredential
    {
        public object? Registered { get; private set; }

        public IAzureClientBuilder<TClient, TOptions> RegisterClientFactory<TClient, TOptions>(Func<TOptions, TClient> clientFactory)
            where TOptions : class => Keep<TClient, TOptions>(clientFactory);

        public IAzureClientBuilder<TClient, TOptions> RegisterClientFactory<TClient, TOptions>(string configuration)
            where TOptions : class => Keep<TClient, TOptions>(configuration);

        public IAzureClientBuilder<TClient, TOptions> RegisterClientFactory<TClient, TOptions>(
            Func<TOptions, TokenCredential, TClient> clientFactory, bool requiresCredential = true)
            where TOptions : class => Keep<TClient, TOptions>(clientFactory);

        private IAzureClientBuilder<TClient, TOptions> Keep<TClient, TOptions>(object registered) where TOptions : class
        {
            Registered = registered;
            return null!;
        }
    }
}
