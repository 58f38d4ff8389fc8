using Microsoft.Extensions.Configuration;

namespace DroneDelivery.LocalServiceBus.Tests.Configuration;

public sealed class OptionsTests
{
    [Fact]
    public void Settings_are_bound_from_their_section()
    {
        var options = From(
            ("ServiceBus:Port", "5673"),
            ("ServiceBus:ManagementPort", "5300"),
            ("CONFIG_PATH", "given.json"),
            ("ServiceBus:Listen", "*"),
            ("ServiceBus:MaxLinks", "65536"),
            ("ServiceBus:MaxConnections", "2")
        );

        Assert.Equal(
            (5673, 5300, "given.json", "*"),
            (options.Port, options.ManagementPort, options.ConfigFile, options.Listen)
        );
        var frontEnd = options.FrontEnd();
        Assert.Equal(
            (65536, 65536, 2),
            (frontEnd.Connection.MaxLinks, frontEnd.Connection.ChannelMax + 1, frontEnd.MaxConnections)
        );
    }

    [Fact]
    public void Defaults_apply_without_settings()
    {
        var options = From();

        Assert.Equal((5672, true, "localhost"), (options.PortToOpen, options.RequireTokens, options.Listen));
        var frontEnd = options.FrontEnd();
        Assert.Equal(
            (5000, 5000, 5000),
            (frontEnd.Connection.MaxLinks, frontEnd.Connection.ChannelMax + 1, frontEnd.MaxConnections)
        );
    }

    [Theory]
    [InlineData("ServiceBus:Tls", "true")]
    [InlineData("ServiceBus:CertificateFile", "own.pem")]
    public void Default_port_is_5671_with_TLS(string setting, string value)
    {
        Assert.Equal(5671, From((setting, value)).PortToOpen);
        Assert.Equal(5672, From((setting, value), ("ServiceBus:Port", "5672")).PortToOpen);
    }

    [Theory]
    [InlineData("localhost", true)]
    [InlineData("127.0.0.1", true)]
    [InlineData("::1", true)]
    [InlineData("*", false)]
    [InlineData("0.0.0.0", false)]
    [InlineData("192.0.2.1", false)]
    public void Broker_without_tokens_listens_only_on_loopback(string listen, bool isAllowed)
    {
        var error = Record.Exception(() => From(("ServiceBus:RequireTokens", "false"), ("ServiceBus:Listen", listen)));

        Assert.Equal(isAllowed, error is null);
        if (isAllowed)
            return;
        Assert.IsType<BrokerStartException>(error);
        Assert.Contains("ServiceBus:RequireTokens (--no-auth)", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("ServiceBus:CertificateKeyFile", "key.pem")]
    [InlineData("ServiceBus:Tls", "perhaps")]
    [InlineData("ServiceBus:Port", "65536")]
    [InlineData("ServiceBus:Port", "-1")]
    [InlineData("ServiceBus:ManagementPort", "65536")]
    [InlineData("ServiceBus:Port", "http")]
    [InlineData("ServiceBus:Listen", "everywhere")]
    [InlineData("ServiceBus:Prot", "5672")]
    [InlineData("ServiceBus:TimeProvider", "x")]
    [InlineData("ServiceBus:MaxLinks", "0")]
    [InlineData("ServiceBus:MaxLinks", "65537")]
    [InlineData("ServiceBus:MaxConnections", "0")]
    public void Invalid_setting_is_rejected_by_its_name(string setting, string value)
    {
        var error = Assert.Throws<BrokerStartException>(() => From((setting, value)));

        Assert.Contains(setting.Split(':')[1], error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
    }

    private static LocalServiceBusOptions From(params (string Name, string Value)[] settings) =>
        LocalServiceBusOptions.From(
            new ConfigurationBuilder()
                .AddInMemoryCollection(
                    settings.ToDictionary(setting => setting.Name, setting => (string?)setting.Value)
                )
                .Build()
        );
}
