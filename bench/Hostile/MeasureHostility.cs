using System.CommandLine;
using System.Diagnostics;
using DroneDelivery.Bench.Broker;

namespace DroneDelivery.Bench.Hostile;

/// <summary>
/// What a well-behaved client notices of hostile ones, of a time of day that steps and of a machine that sleeps. It is to keep four fifths
/// of its rate and to lose no message.
/// </summary>
internal static class MeasureHostility
{
    private const double LeastShare = 0.8;
    private const string Held = "held";

    // More than a connection may hold unsettled.
    private const int HeldMessages = 70_000;

    public static Command Command()
    {
        var rate = new Option<int>("--rate")
        {
            Description = "messages a second of that client",
            DefaultValueFactory = _ => 2000,
        };
        var seconds = new Option<int>("--seconds") { Description = "of each phase", DefaultValueFactory = _ => 10 };
        var sockets = new Option<int>("--sockets") { Description = "silent ones", DefaultValueFactory = _ => 5000 };
        var suspend = new Option<int>("--suspend-seconds") { DefaultValueFactory = _ => 60 };
        var command = new Command(
            "hostile",
            "A well-behaved client beside hostile ones, a clock that steps and a suspend."
        )
        {
            rate,
            seconds,
            sockets,
            suspend,
        };
        command.SetAction(
            async (parsed, _) =>
            {
                var (time, number) = (TimeSpan.FromSeconds(parsed.GetValue(seconds)), parsed.GetValue(rate));
                var isGood = await BesideHostileClients(
                    number,
                    time,
                    parsed.GetValue(sockets),
                    TimeSpan.FromSeconds(parsed.GetValue(suspend))
                );
                return await BesideAStep(number, time) && isGood ? 0 : 1;
            }
        );
        return command;
    }

    private static async Task<bool> BesideHostileClients(int rate, TimeSpan time, int sockets, TimeSpan suspend)
    {
        await using var broker = await BrokerUnderTest.StartLocalServiceBus(ServiceSettings.With());
        await broker.CreateQueueAsync(Held, "<LockDuration>PT5M</LockDuration>");
        await using var client = await Bystander.StartAsync(broker, rate);
        var usual = await UsualAsync(client, time);
        var isGood = await During($"{sockets:N0} silent sockets", stop =>
            Attacks.SilenceAsync(broker.Port, sockets, stop)
        );
        isGood &= await During("500 sockets with a byte a second", stop =>
            Attacks.SlowLorisAsync(broker.Port, 500, stop)
        );
        isGood &= await During("garbage from 20 clients", stop => Attacks.GarbageAsync(broker.Port, 20, stop));
        isGood &= await During($"{HeldMessages:N0} messages unsettled", stop =>
            Attacks.HoldAsync(broker, Held, HeldMessages, stop)
        );
        await SignalAsync("-STOP", broker);
        await Task.Delay(suspend);
        await SignalAsync("-CONT", broker);
        isGood &= await During($"after {suspend.TotalSeconds:N0} s of sleep", _ => Task.CompletedTask);
        return await IsCompleteAsync(client) && isGood;

        async Task<bool> During(string what, Func<CancellationToken, Task> attack)
        {
            using var stop = new CancellationTokenSource();
            var attacking = attack(stop.Token);
            // Until the attack is under way.
            await Task.Delay(TimeSpan.FromSeconds(2));
            var isGood = Show(what, await client.RateAsync(time), usual);
            await stop.CancelAsync();
            await attacking;
            return isGood;
        }
    }

    private static async Task<bool> BesideAStep(int rate, TimeSpan time)
    {
        var port = ChildProcess.FreePort();
        var stepAfter = (int)time.TotalSeconds + 5;
        var process = ChildProcess.StartOwn(
            "Bench",
            ["stepping-broker", "--port", $"{port}", "--step-after", $"{stepAfter}"],
            ServiceSettings.With()
        );
        var broker = new BrokerUnderTest("Local Service Bus", port, "delivery-requests", process)
        {
            IsServiceBus = true,
        };
        await using var reachable = await broker.WhenReachable(TimeSpan.FromSeconds(30));
        await using var client = await Bystander.StartAsync(broker, rate);
        var usual = await UsualAsync(client, TimeSpan.FromSeconds(3));
        await Task.Delay(TimeSpan.FromSeconds(stepAfter - 5));
        var isGood = Show(
            "while the time of day steps by an hour",
            await client.RateAsync(time + TimeSpan.FromSeconds(5)),
            usual
        );
        return await IsCompleteAsync(client) && isGood;
    }

    private static async Task<double> UsualAsync(Bystander client, TimeSpan time)
    {
        await Task.Delay(TimeSpan.FromSeconds(2)); // warm up
        var usual = await client.RateAsync(time);
        Console.WriteLine($"alone: {usual:N0} messages/s");
        return usual;
    }

    private static bool Show(string what, double rate, double usual)
    {
        Console.WriteLine(
            $"{what}: {rate:N0} messages/s, {rate / usual:P0}{(rate < LeastShare * usual ? "; NOT enough" : "")}"
        );
        return rate >= LeastShare * usual;
    }

    private static async Task<bool> IsCompleteAsync(Bystander client)
    {
        var lost = await client.LostAsync(TimeSpan.FromSeconds(90));
        Console.WriteLine($"lost: {lost:N0}{(client.Failure is null ? "" : $"; turned away: {client.Failure}")}");
        return lost == 0 && client.Failure is null;
    }

    private static async Task SignalAsync(string signal, BrokerUnderTest broker)
    {
        using var kill = Process.Start("kill", [signal, $"{broker.Process.Id}"]);
        await kill.WaitForExitAsync();
    }
}
