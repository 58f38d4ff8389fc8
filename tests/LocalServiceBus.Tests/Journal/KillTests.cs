using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;

namespace DroneDelivery.LocalServiceBus.Tests.Journal;

/// <summary>Kills the broker's process under load, repeatedly. Everything acknowledged must survive.</summary>
[Trait("tier", "slow")]
public sealed class KillTests : IAsyncDisposable
{
    private const int Senders = 8,
        MostPerLife = 400;

    // Set a higher number manually to find rare interleavings.
    private static readonly int Kills = int.Parse(
        Environment.GetEnvironmentVariable("BROKER_KILLS") ?? "10",
        CultureInfo.InvariantCulture
    );

    private readonly string _folder = Directory.CreateTempSubdirectory("kill-").FullName;
    private readonly ConcurrentDictionary<string, bool> _acknowledged = new();
    private readonly ConcurrentDictionary<string, bool> _received = new();
    private readonly ConcurrentDictionary<string, bool> _completed = new();
    private readonly Random _random = new(1);
    private Process? _process;
    private int _port;
    private int _sent;

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
            await KillAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Acknowledged_messages_and_completions_survive_kills()
    {
        for (var life = 0; life <= Kills; life++)
        {
            await StartAsync();
            await LiveAsync(
                _acknowledged.Count + _random.Next(50, MostPerLife),
                receives: life % 2 == 1 || life == Kills,
                life == Kills
            );
            await KillAsync();
        }

        Assert.Empty(_acknowledged.Keys.Except(_received.Keys));
        Assert.NotEmpty(_completed);
        Assert.True(_acknowledged.Count >= 50 * Kills, $"Only {_acknowledged.Count} messages were acknowledged.");
    }

    /// <param name="until">The number of acknowledged messages to reach.</param>
    /// <param name="receives"><c>false</c> to leave the messages for later lives.</param>
    /// <param name="isLast"><c>true</c> to send nothing and receive all remaining messages.</param>
    private async Task LiveAsync(int until, bool receives, bool isLast)
    {
        await using var client = await OnAsync(
            await AmqpDialer.ConnectAsync("127.0.0.1", _port, WithKey, new AmqpConnectionOptions(), Cancel)
        );
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var receiver = await client.ReceiverAsync("delivery-requests", receives ? 100u : 0);
        var receiving = ReceiveAsync(receiver, stop.Token);
        if (isLast)
        {
            await Eventually.TrueAsync(() => _acknowledged.Keys.All(_received.ContainsKey));
        }
        else
        {
            var sender = await client.SenderAsync("delivery-requests");
            var sending = Enumerable.Range(0, Senders).Select(_ => SendAsync(sender)).ToList();
            await Eventually.TrueAsync(() => _acknowledged.Count >= until);
            await KillAsync();
            await Task.WhenAll(sending);
        }
        await stop.CancelAsync();
        await receiving;
    }

    private async Task SendAsync(SenderLink sender)
    {
        try
        {
            while (true)
            {
                var text = $"{Interlocked.Increment(ref _sent)}";
                var message = Encode(text);
                if (await sender.SendAsync(message, 0, settled: false, Cancel) is Accepted)
                    _acknowledged[text] = true;
            }
        }
        catch (AmqpException)
        {
            // The broker was killed.
        }
    }

    private async Task ReceiveAsync(AmqpReceiver receiver, CancellationToken cancellationToken)
    {
        var settling = new List<Task>();
        while (await receiver.NextUntilAsync(cancellationToken) is { } message)
        {
            Assert.False(
                _completed.ContainsKey(message.Text),
                $"Message {message.Text} was redelivered after its completion."
            );
            _received[message.Text] = true;
            settling.Add(CompleteAsync(receiver, message));
            if (receiver.Link.Credit <= 50)
                receiver.Link.SetCredit(100);
        }
        await Task.WhenAll(settling);
    }

    private async Task CompleteAsync(AmqpReceiver receiver, ReceivedMessage message)
    {
        try
        {
            if (await receiver.SettleAsync(message, Accepted.Instance) is Accepted)
                _completed[message.Text] = true;
        }
        catch (Exception error) when (error is AmqpException or InvalidOperationException)
        {
            // The broker was killed.
        }
    }

    private async Task StartAsync()
    {
        _process = Hosting.ProcessTests.Start("--port", "0", "--queue", "delivery-requests", "--data", _folder);
        var line = await _process.StandardOutput.ReadLineAsync(Cancel);
        // The line contains the broker's error if it did not start.
        Assert.Contains("Endpoint=", line, StringComparison.Ordinal);
        var endpoint = line!.Split("Endpoint=")[1].Split(';')[0];
        _port = new Uri(endpoint).Port;
    }

    private async Task KillAsync()
    {
        if (_process is null)
            return;
        _process.Kill(); // SIGKILL, which the process can't handle.
        await _process.WaitForExitAsync(CancellationToken.None);
        _process.Dispose();
        _process = null;
    }
}
