using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;

namespace DroneDelivery.LocalServiceBus.Tests.Journal;

/// <summary>The broker's process is killed under load, again and again: what it has acknowledged stays so.</summary>
[Trait("tier", "slow")]
public sealed class KillTests : IAsyncDisposable
{
    private const int Senders = 8,
        MostPerLife = 400;

    // More of them, by hand: a rare order of events shows only then.
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
    public async Task No_acknowledged_message_is_lost_and_no_completed_one_comes_back()
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
        Assert.True(_acknowledged.Count >= 50 * Kills, $"only {_acknowledged.Count} messages were acknowledged");
    }

    /// <param name="until">So many acknowledged messages.</param>
    /// <param name="receives">False: what is sent stays for the lives that follow.</param>
    /// <param name="isLast">Nothing is sent any more, and all that is there is received.</param>
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
            Assert.False(_completed.ContainsKey(message.Text), $"message {message.Text} was completed and came again");
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
        Assert.Contains("Endpoint=", line, StringComparison.Ordinal); // or what the broker says instead
        var endpoint = line!.Split("Endpoint=")[1].Split(';')[0];
        _port = new Uri(endpoint).Port;
    }

    private async Task KillAsync()
    {
        if (_process is null)
            return;
        _process.Kill(); // SIGKILL: it can do nothing about it
        await _process.WaitForExitAsync(CancellationToken.None);
        _process.Dispose();
        _process = null;
    }
}
