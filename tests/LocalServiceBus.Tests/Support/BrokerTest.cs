using System.IO.Pipelines;
using DroneDelivery.Amqp.Tests.Support;
using Microsoft.Extensions.Logging.Abstractions;

namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>A test with its own broker and full permissions over HTTP.</summary>
public abstract class BrokerTest : IAsyncLifetime
{
    private protected BrokerFixture _broker = null!;
    private protected HttpClient _http = null!;
    private protected AmqpClient _client = null!;

    private protected virtual LocalServiceBusOptions Options => new() { Port = 0 };

    /// <summary>The credentials of the AMQP client; <c>null</c> for no client.</summary>
    private protected virtual SaslClient? Login => null;

    public virtual async ValueTask InitializeAsync()
    {
        _broker = await BrokerFixture.StartAsync(Options, Cancel);
        _http = CreateHttp();
        if (Login is { } login)
            _client = await ConnectAsync(_broker, login);
    }

    public virtual async ValueTask DisposeAsync()
    {
        _http.Dispose();
        if (Login is not null)
            await _client.DisposeAsync();
        await _broker.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    private protected virtual HttpClient CreateHttp() => _broker.CreateHttpClient();
}

/// <summary>A broker test with an AMQP client that has full permissions.</summary>
public abstract class WireTest : BrokerTest
{
    private protected override SaslClient? Login => WithKey;
}

/// <summary>A test of the AMQP front end without a port: peers connect in memory.</summary>
public abstract class FrontEndTest : IAsyncDisposable
{
    private protected readonly ServiceBusNamespace _entities;
    private protected AmqpFrontEnd _frontEnd;

    private readonly List<IDisposable> _peers = [];

    private protected FrontEndTest(TimeProvider clock, AmqpFrontEndOptions? options = null)
    {
        _entities = new ServiceBusNamespace(clock);
        _frontEnd = NewFrontEnd(options ?? new AmqpFrontEndOptions());
    }

    public async ValueTask DisposeAsync()
    {
        _frontEnd.DropConnections();
        await _frontEnd.DisposeAsync();
        foreach (var peer in _peers)
            peer.Dispose();
        _entities.Dispose();
        GC.SuppressFinalize(this);
    }

    private protected async Task RestartAsync(AmqpFrontEndOptions options)
    {
        await _frontEnd.DisposeAsync();
        _frontEnd = NewFrontEnd(options);
    }

    private protected RawPeer Dial(int pauseAt = 1 << 20) => Kept(RawPeer.Dial(Serve, pauseAt));

    private protected Task Serve(IDuplexPipe transport) => _frontEnd.ServeAsync(transport, CancellationToken.None);

    private protected T Kept<T>(T peer)
        where T : IDisposable
    {
        _peers.Add(peer);
        return peer;
    }

    private AmqpFrontEnd NewFrontEnd(AmqpFrontEndOptions options) =>
        new(_entities, options, NullLoggerFactory.Instance);
}
