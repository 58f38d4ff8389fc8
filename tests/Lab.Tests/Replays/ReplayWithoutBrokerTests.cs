using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;

namespace DroneDelivery.Lab.Tests.Replays;

public sealed class ReplayWithoutBrokerTests
{
    private const Sources StocksAndRates = Sources.Stocks | Sources.Rates;

    [Theory] // Every combination of sources that a target can have.
    [InlineData("None")]
    [InlineData("Stocks")]
    [InlineData("Stocks, Rates")]
    [InlineData("Stocks, Rates, Deliveries")]
    [InlineData("Stocks, Rates, Deliveries, Errors, ErrorsOverTime")]
    [InlineData("Stocks, Telemetry, Errors, Standstill")]
    public void Available_metric_does_not_depend_on_unavailable_ones(string told)
    {
        var computed = new ComputedStage("2")
        {
            Capacity = 12,
            After = new(Outgoing: 3, OutOfMemory: 2, Completed: 5),
            EndsAt = 30,
        };
        var measured = computed.Measure() with { Told = Enum.Parse<Sources>(told) | Sources.WholeStage };

        var figures = FigureTable.Of(measured);

        Assert.Contains("accepted", figures.Keys);
        Assert.Equal(figures, FigureTable.Of(WithUnknownsChanged(measured, factor: 3)));
        Assert.Equal(figures, FigureTable.Of(WithUnknownsChanged(measured, factor: 7)));
    }

    [Fact]
    public void Check_without_its_metric_is_not_graded()
    {
        var measured = new ComputedStage("2") { Capacity = 12 }.Measure() with { Told = StocksAndRates };

        var checks = CheckRecord.Of(
            Stage.Load("2"),
            8,
            new Dictionary<string, IReadOnlyDictionary<string, double>> { ["2"] = FigureTable.Of(measured) }
        );

        Assert.Equal(["2c"], checks.Where(check => check.Holds == true).Select(check => check.Id));
        Assert.DoesNotContain(checks, check => check.Holds == false);
        Assert.All(checks.Where(check => check.Id != "2c"), check => Assert.Equal("not available", check.Verdict));
        Assert.Null(Validity.GetInvalidReason(checks));
        Assert.NotNull(Validity.GetInvalidReason([.. checks.Where(check => check.Id != "2c")]));
        Assert.Equal((Outcomes.Partly, Outcomes.Fails), (OutcomeWith(capacity: 12), OutcomeWith(capacity: 3)));

        static string OutcomeWith(int capacity) =>
            ComputedRun
                .Run("run 2", _ =>
                    new ComputedStage("2") { Capacity = capacity }.Measure() with
                    {
                        Told = StocksAndRates,
                    }
                )
                .Stages[0]
                .Outcome;
    }

    [Fact]
    public async Task Rates_come_from_runtime_counts_and_accepted_requests()
    {
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        await using var client = new ServiceBusClient(broker.ConnectionString);
        await using var sender = client.CreateSender(BrokerCounters.QueueName);
        await using var receiver = client.CreateReceiver(BrokerCounters.QueueName);
        await sender.SendMessageAsync(new ServiceBusMessage("dead before"), Cancel);
        var dead = await receiver.ReceiveMessageAsync(cancellationToken: Cancel);
        await receiver.DeadLetterMessageAsync(dead!, cancellationToken: Cancel);
        long? accepted = 0;
        var counts = new RuntimeCounts(
            new ServiceBusAdministrationClient(broker.ConnectionString),
            () => accepted,
            TimeProvider.System
        );
        await counts.ReadAsync(Cancel);

        await sender.SendMessagesAsync(
            Enumerable.Range(0, 10).Select(number => new ServiceBusMessage($"{number}")),
            Cancel
        );
        accepted = 10;
        var messages = new List<ServiceBusReceivedMessage>();
        while (messages.Count < 6)
            messages.AddRange(await receiver.ReceiveMessagesAsync(6 - messages.Count, cancellationToken: Cancel));
        foreach (var message in messages.Take(4))
            await receiver.CompleteMessageAsync(message, Cancel);
        await receiver.DeadLetterMessageAsync(messages[4], cancellationToken: Cancel);
        await MoveDeadLettersAsync(client);
        var queue = (await counts.ReadAsync(Cancel)).Queue;

        Assert.Equal((10, 4, 1, 5), (queue.Incoming, queue.Completed, queue.DeadLettered, queue.Queued));
        Assert.Equal(StocksAndRates, counts.Told);
        accepted = null;
        Assert.Equal(Sources.Stocks, counts.Told);
    }

    [Fact]
    public async Task Queue_is_filled_but_delivers_nothing_until_the_load_starts()
    {
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        await using var queue = new TargetQueue(new BusConnection(broker.ConnectionString), TimeProvider.System);
        await using var client = new ServiceBusClient(broker.ConnectionString);
        await using var receiver = client.CreateReceiver(BrokerCounters.QueueName);
        using var http = new HttpClient();
        var setup = new ReplaySetup(
            Plan("4", "queue.messagesAtStart=160").Played.Single(),
            queue,
            http,
            TimeProvider.System
        );

        await queue.FillAsync(5, instructionsLength: 17, due: default, Cancel);
        var message = (await receiver.ReceiveMessageAsync(cancellationToken: Cancel))!;
        await receiver.DeadLetterMessageAsync(message, cancellationToken: Cancel);
        var before = await queue.ReadAsync(Cancel);
        await using var hurried = new TargetQueue(
            new BusConnection(broker.ConnectionString),
            new FastTime(TimeSpan.FromHours(1))
        );
        var late = await Assert.ThrowsAsync<LabException>(() => hurried.PurgeAsync(Cancel));
        await setup.PrepareAsync(purge: true, Cancel);
        var prepared = TimeProvider.System.GetUtcNow();
        var after = await queue.ReadAsync(Cancel);

        using var request = JsonDocument.Parse(message.Body.ToMemory());
        Assert.Equal(new string('x', 17), request.RootElement.GetProperty("instructions").GetString());
        Assert.Equal((4, 1, TimeSpan.FromSeconds(60)), (before.Messages, before.DeadLetters, before.LockDuration));
        Assert.StartsWith("5 messages are still in the queue", late.Message, StringComparison.Ordinal);
        Assert.Equal((10, 0), (after.Messages, after.DeadLetters));
        var refused = Assert.Throws<LabException>(() => setup.Require(new(default, 0, 3, 0)));
        setup.Require(new(default, 0, 9, 0)); // As close as the previous stage leaves it.
        Assert.Contains("stage 4 starts with none or 10", refused.Message, StringComparison.Ordinal);
        var first = await receiver.ReceiveMessageAsync(cancellationToken: Cancel);
        Assert.InRange(first.ScheduledEnqueueTime, prepared, TimeProvider.System.GetUtcNow());
    }

    [Fact]
    public async Task Load_waits_for_the_warmup_deliveries()
    {
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        await using var queue = new TargetQueue(new BusConnection(broker.ConnectionString), TimeProvider.System);
        using var http = new HttpClient(new Accepting(queue));
        var setup = new ReplaySetup(Plan("2").Played.Single(), queue, http, new FastTime());

        var end = await Assert.ThrowsAsync<LabException>(() => setup.PrepareAsync(purge: false, Cancel));

        Assert.StartsWith(
            $"{setup.WarmUps} of {setup.WarmUps} warm-up deliveries are still",
            end.Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Unreachable_Service_Bus_is_reported()
    {
        var nobody = new BusConnection(
            "Endpoint=sb://127.0.0.1:1;SharedAccessKeyName=n;SharedAccessKey=k;UseDevelopmentEmulator=true"
        );
        await using var queue = new TargetQueue(nobody, TimeProvider.System);
        var counts = new RuntimeCounts(nobody.CreateAdministrationClient(), () => 0, TimeProvider.System);

        var read = Assert.ThrowsAsync<LabException>(() => queue.ReadAsync(Cancel));
        var counted = Assert.ThrowsAsync<HttpRequestException>(() => counts.ReadAsync(Cancel));

        Assert.StartsWith("The Service Bus of the target: ", (await read).Message, StringComparison.Ordinal);
        Assert.NotEmpty((await counted).Message);
    }

    [Theory]
    [InlineData(
        "Endpoint=sb://drones.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey=c2VjcmV0",
        "drones",
        null
    )]
    [InlineData("drones.servicebus.windows.net", "drones", null)]
    [InlineData(
        "Endpoint=sb://servicebus:5672;SharedAccessKeyName=n;SharedAccessKey=k;UseDevelopmentEmulator=true",
        null,
        "http://servicebus:5672/"
    )]
    public void Connection_string_determines_the_address(string text, string? azure, string? local)
    {
        var bus = new BusConnection(text);

        Assert.Equal((azure, local), (bus.AzureNamespace, bus.LocalBroker?.ToString()));
    }

    [Fact]
    public void Invalid_connection_string_is_rejected_without_its_key()
    {
        var refused = Assert.Throws<BadInputException>(() =>
            new BusConnection("Endpoint=http://localhost:5672;SharedAccessKey=c2VjcmV0")
        );

        Assert.Contains("expected Endpoint=sb://", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("c2VjcmV0", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("SharedAccessKeyName=root;SharedAccessKey=c2VjcmV0+/=", "SharedAccessKeyName=root;SharedAccessKey=…")]
    [InlineData(
        "SharedAccessKeyName=root; SharedAccessKey = c2VjcmV0+/=",
        "SharedAccessKeyName=root; SharedAccessKey = …"
    )]
    [InlineData(
        "SharedAccessSignature=SharedAccessSignature sr=sb%3A%2F%2Fh&sig=c2VjcmV0&se=2800&skn=root",
        "SharedAccessSignature=…"
    )]
    public void Recorded_command_contains_no_key(string typed, string recorded) =>
        Assert.Equal(
            $"./lab replay --connection Endpoint=sb://h;{recorded};EntityPath=q --k 8",
            BusConnection.WithoutKeys($"./lab replay --connection Endpoint=sb://h;{typed};EntityPath=q --k 8")
        );

    private static async Task MoveDeadLettersAsync(ServiceBusClient client)
    {
        await using var receiver = client.CreateReceiver(
            BrokerCounters.QueueName,
            new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter }
        );
        await using var sender = client.CreateSender(BrokerCounters.FailedQueueName);
        for (var left = 2; left > 0; left--)
        {
            var dead = await receiver.ReceiveMessageAsync(cancellationToken: Cancel);
            await sender.SendMessageAsync(new ServiceBusMessage(dead!), Cancel);
            await receiver.CompleteMessageAsync(dead!, Cancel);
        }
    }

    private static RunPlan Plan(string stage, params string[] knobs) =>
        RunPlan.Of(
            [stage],
            new(16, KnobSet.Parse(knobs), null, "", new Ports(0), 1, false)
            {
                Targets = [new Uri("http://127.0.0.1:1/")],
            }
        );

    /// <summary>Returns the same measurement with other numbers for everything that is unknown.</summary>
    private static Measured WithUnknownsChanged(Measured measured, int factor)
    {
        var told = measured.Told;
        long Or(Sources needs, long known, double unknown) => told.HasFlag(needs) ? known : (long)unknown;
        QueueCounters Blur(QueueCounters queue, double at) =>
            queue with
            {
                Incoming = Or(Sources.Rates, queue.Incoming, factor * at * at),
                Completed = Or(Sources.Rates, queue.Completed, factor * at),
                Outgoing = Or(Sources.Deliveries, queue.Outgoing, factor * at * at * 2),
                Redelivered = Or(Sources.Deliveries, queue.Redelivered, factor * at * 5),
                LockLost = Or(Sources.Deliveries, queue.LockLost, factor * at * 3),
                LateCompletes = Or(Sources.Deliveries, queue.LateCompletes, factor * at * 11),
                LateDeadLetters = Or(Sources.Deliveries, queue.LateDeadLetters, factor * at * 13),
                Active = Or(Sources.Stocks, queue.Active, factor * at * 17),
                DeadLetter = Or(Sources.Stocks, queue.DeadLetter, factor * at * 19),
                DeadLettered = Or(Sources.Stocks, queue.DeadLettered, factor * at * 23),
                Links = told.HasFlag(Sources.Deliveries) ? queue.Links : [new(0, 0, factor * 29)],
            };
        return measured with
        {
            Series = new([
                .. measured.Series.Samples.Select(sample =>
                    sample with
                    {
                        Queue = Blur(sample.Queue, sample.At),
                        Errors = Or(Sources.ErrorsOverTime, sample.Errors, factor * sample.At),
                        OutOfMemory = Or(Sources.ErrorsOverTime, sample.OutOfMemory, sample.At > factor ? factor : 0),
                        NodesBusy = told.HasFlag(Sources.Nodes) ? sample.NodesBusy : [factor * sample.At * 0.01],
                        MachineBusy = told.HasFlag(Sources.Nodes) ? sample.MachineBusy : factor * sample.At * 0.01,
                    }
                ),
            ]),
            Final = Blur(measured.Final, measured.Series.End),
            Errors = Or(Sources.Errors, measured.Errors, factor),
            Telemetry = told.HasFlag(Sources.Telemetry)
                ? measured.Telemetry
                : new Dictionary<string, double> { ["telemetry.processMean"] = factor },
        };
    }

    /// <summary>An Ingestion that only sends messages to the queue.</summary>
    private sealed class Accepting(TargetQueue queue) : HttpMessageHandler
    {
        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request,
            CancellationToken cancellationToken
        )
        {
            await queue.FillAsync(1, instructionsLength: 0, due: default, cancellationToken);
            return new(HttpStatusCode.Accepted);
        }
    }
}
