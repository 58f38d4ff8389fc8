using Azure.Core;
using Azure.Messaging.ServiceBus.Administration;

namespace Azure.Messaging.ServiceBus.Tests.Connection;

public sealed class ConnectionStringTests
{
    private const string Key = "SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE";

    [Theory]
    [InlineData("sb://localhost:5672", true, "localhost", 5672, false)]
    [InlineData("sb://localhost", true, "localhost", 5672, false)]
    [InlineData("localhost", true, "localhost", 5672, false)]
    [InlineData("sb://ns.servicebus.windows.net/", false, "ns.servicebus.windows.net", 5671, true)]
    [InlineData("amqps://127.0.0.1:5999", false, "127.0.0.1", 5999, true)]
    public void The_emulator_switch_turns_TLS_off_and_the_endpoint_gives_the_port(
        string endpoint, bool emulator, string host, int port, bool tls)
    {
        var connection = ConnectionString.Parse($"Endpoint={endpoint};{Key};UseDevelopmentEmulator={emulator}");

        Assert.Equal(host, connection.FullyQualifiedNamespace);
        Assert.Equal(port, connection.Port);
        Assert.Equal(tls, connection.UseTls);
    }

    [Fact]
    public void The_management_address_has_the_same_port_and_no_TLS_with_the_emulator()
    {
        var emulator = ConnectionString.Parse($"Endpoint=sb://localhost:5672;{Key};UseDevelopmentEmulator=true");
        Assert.Equal("http://localhost:5672/", emulator.ManagementAddress.AbsoluteUri);
        var azure = ConnectionString.Parse($"Endpoint=sb://ns.servicebus.windows.net;{Key}");
        Assert.Equal("https://ns.servicebus.windows.net/", azure.ManagementAddress.AbsoluteUri);
    }

    [Fact]
    public void A_key_may_end_in_equals_signs_and_parts_may_come_in_any_order_and_case()
    {
        var connection = ConnectionString.Parse("sharedaccesskey=ab+/cd==; SharedAccessKeyName = root ;Endpoint=sb://localhost;");

        Assert.Equal("ab+/cd==", connection.Key);
        Assert.Equal("root", connection.KeyName);
    }

    [Theory]
    [InlineData("Endpoint", "without a name")]
    [InlineData("Endpoint=;SharedAccessKeyName=a", "'Endpoint' without a value")]
    [InlineData($"Endpoint=sb://;{Key}", "is not an address")]
    [InlineData($"Endpoint=sb://localhost;{Key};UseDevelopmentEmulator=yes", "UseDevelopmentEmulator")]
    public void A_malformed_connection_string_says_which_part(string text, string part) =>
        Assert.Contains(part, Assert.Throws<FormatException>(() => new ServiceBusClient(text)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("", "connectionString")]
    [InlineData(Key, "Endpoint")]
    [InlineData("Endpoint=sb://localhost;SharedAccessKeyName=root", "SharedAccessKey")]
    [InlineData("Endpoint=sb://localhost;SharedAccessKey=abc", "SharedAccessKeyName")]
    [InlineData($"Endpoint=sb://localhost;{Key};SharedAccessSignature=x", "only one of the two")]
    public void An_incomplete_connection_string_says_what_is_missing(string text, string part)
    {
        Assert.Contains(part, Assert.Throws<ArgumentException>(() => new ServiceBusClient(text)).Message, StringComparison.Ordinal);
        var administration = Assert.Throws<ArgumentException>(() => new ServiceBusAdministrationClient(text));
        Assert.Contains(part, administration.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_connection_string_for_one_entity_is_not_for_another()
    {
        await using var client = new ServiceBusClient($"Endpoint=sb://localhost;{Key};EntityPath=orders");

        Assert.Equal("orders", client.CreateSender("orders").EntityPath);
        Assert.Throws<ArgumentException>(() => client.CreateReceiver("payments"));
    }

    [Fact]
    public void A_token_credential_needs_the_other_build()
    {
        var error = Assert.Throws<NotSupportedException>(() => new ServiceBusClient("ns.servicebus.windows.net", new NoCredential()));

        Assert.Contains("-p:AzureSdk=true", error.Message, StringComparison.Ordinal);
        Assert.Throws<NotSupportedException>(() => new ServiceBusAdministrationClient("ns.servicebus.windows.net", new NoCredential()));
    }

    [Fact]
    public void A_shared_access_signature_is_for_one_audience_until_it_expires()
    {
        var time = new DroneDelivery.Testing.ManualTimeProvider(DateTimeOffset.UnixEpoch.AddSeconds(1000));
        var signature = SharedAccessSignature.For(ConnectionString.Parse($"Endpoint=sb://localhost;{Key}"), "sb://localhost/Orders", time);

        // 1000 s + 30 min; the HMAC-SHA256 was computed independently with openssl.
        Assert.Equal(
            "SharedAccessSignature sr=sb%3A%2F%2Flocalhost%2Forders"
            + "&sig=AAJnra4dpJg43GNPO%2F5hIPpuziHY6mBMgtNA4DcQixI%3D&se=2800&skn=RootManageSharedAccessKey",
            signature.Token);
        Assert.Equal(DateTimeOffset.UnixEpoch.AddSeconds(2800), signature.ExpiresAt);
    }

    [Theory]
    [InlineData("SharedAccessSignature sr=sb%3A%2F%2Flocalhost&sig=x&se=5000&skn=root", 5000)]
    [InlineData("SharedAccessSignature sr=sb%3A%2F%2Flocalhost&sig=x&skn=root", 2800)]
    public void A_signature_made_elsewhere_is_shown_as_it_is_and_expires_when_it_says(string made, long seconds)
    {
        var time = new DroneDelivery.Testing.ManualTimeProvider(DateTimeOffset.UnixEpoch.AddSeconds(1000));
        var connection = ConnectionString.Parse($"Endpoint=sb://localhost;SharedAccessSignature={made}");

        var signature = SharedAccessSignature.For(connection, "sb://localhost/orders", time);

        Assert.Equal((made, DateTimeOffset.UnixEpoch.AddSeconds(seconds)), (signature.Token, signature.ExpiresAt));
    }

    private sealed class NoCredential : TokenCredential
    {
        public override AccessToken GetToken(TokenRequestContext requestContext, CancellationToken cancellationToken) =>
            throw new NotSupportedException();

        public override ValueTask<AccessToken> GetTokenAsync(TokenRequestContext requestContext, CancellationToken cancellationToken) =>
            throw new NotSupportedException();
    }
}
