using Azure.Messaging.ServiceBus;
using DroneDelivery.Lab.Operations;

namespace DroneDelivery.Lab.Tests.Commands;

public sealed class DeadLettersCommandTests
{
    private const string Main = DeadLettersOnBroker.Main,
        Failed = DeadLettersOnBroker.Failed;

    private static readonly DateTimeOffset LongAgo = new(2026, 1, 2, 3, 4, 5, TimeSpan.FromHours(1));

    [Fact]
    public async Task List_tells_of_both_places_with_the_newest_last_also_as_a_table_and_changes_nothing()
    {
        await using var broker = await DeadLettersOnBroker.StartAsync();
        var none = await broker.TypeAsync();
        await broker.DeadLetterAsync("a", "Unparsable", QueueMessage.Cancel);
        await broker.DeadLetterAsync("b", "UnknownOperation", "fly", attempt: 2);
        await broker.FailAsync(LongAgo, "c");

        var letters = await ListAsync(broker);
        var again = await ListAsync(broker);
        var table = await broker.TypeAsync("list");

        Assert.Equal(
            [
                $"c MaxDeliveryCountExceeded delivery 0 {Failed}: It was handed out 10 times.",
                $"a Unparsable cancel 0 {Main}/$DeadLetterQueue: The body of a is not what it should be.",
                $"b UnknownOperation fly 2 {Main}/$DeadLetterQueue: The body of b is not what it should be.",
            ],
            letters.Select(it =>
                $"{Text(it, "id")} {Text(it, "reason")} {Text(it, "operation")} {it.GetProperty("attempt")} "
                + $"{Text(it, "place")}: {Text(it, "description")}"
            )
        );
        Assert.Equal(LongAgo, letters[0].GetProperty("since").GetDateTimeOffset());
        Assert.Equal(letters.Select(Deliveries), again.Select(Deliveries));
        Assert.Equal((0, $"{Main} on {broker.Host} has no dead letters."), (none.ExitCode, none.Output.Trim()));
        Assert.Equal((0, ""), (table.ExitCode, table.Error));
        Assert.Matches(
            @"MaxDeliveryCountExceeded +It was handed out 10 times\. +\d+ d \d+ h +c +delivery +0 +delivery-requests-failed",
            table.Output
        );
        Assert.Matches(
            @"Unparsable +The body of a is not what it should be\. +\d+ s +a +cancel +0 +delivery-requests/",
            table.Output
        );
    }

    [Fact]
    public async Task Without_a_queue_of_failed_requests_one_line_says_so_and_the_dead_letter_queue_is_read()
    {
        await using var broker = await DeadLettersOnBroker.StartAsync(withFailedQueue: false);
        await broker.DeadLetterAsync("a");

        var (exitCode, output, error) = await broker.TypeAsync("--json");

        Assert.Equal(0, exitCode);
        Assert.Equal("a", Text(JsonDocument.Parse(output).RootElement[0], "id"));
        Assert.Equal(
            $"There is no queue {Failed} on {broker.Host}: only the dead-letter queue of {Main} is read.",
            error.TrimEnd()
        );
    }

    [Fact]
    public async Task A_failed_request_that_was_handed_out_too_often_is_still_listed_and_replayed()
    {
        await using var broker = await DeadLettersOnBroker.StartAsync(maxDeliveryCount: 1);
        await broker.FailAsync(LongAgo, "c");
        await broker.HandOutFailedAsync();

        var letter = Assert.Single(await ListAsync(broker));
        var replay = await broker.TypeAsync("replay", "c");

        Assert.Equal(
            (Failed + "/$DeadLetterQueue", "It was handed out 10 times."),
            (Text(letter, "place"), Text(letter, "description"))
        );
        Assert.Equal(0, replay.ExitCode);
        Assert.Equal("c~~failed-dead-", Assert.Single(await broker.TakeAllAsync()).MessageId![..^1]);
    }

    [Fact]
    public async Task Show_prints_one_dead_letter_with_its_properties_and_its_body_or_tells_the_nearest_name()
    {
        await using var broker = await DeadLettersOnBroker.StartAsync();
        await broker.DeadLetterAsync("a");
        await broker.DeadLetterAsync("b-17");
        await broker.FailAsync(LongAgo, "a");

        var (exitCode, output, _) = await broker.TypeAsync("show", "b-17");
        var json = JsonDocument.Parse((await broker.TypeAsync("show", "b-17", "--json")).Output).RootElement;
        var both = JsonDocument.Parse((await broker.TypeAsync("show", "a", "--json")).Output).RootElement;
        var failed = await broker.TypeAsync("show", "a");
        var id = await broker.TypeAsync("show", "b-71");
        var queue = await broker.TypeAsync("--queue", "delivery-request");

        Assert.Equal(0, exitCode);
        AssertHas(output, "reason       Unparsable", "  fingerprint = print-of-b-17", "\"deliveryId\": \"b-17\"");
        Assert.DoesNotContain("print-of-a", output, StringComparison.Ordinal);
        Assert.Equal(["a", "a"], both.EnumerateArray().Select(letter => Text(letter, "id")));
        AssertHas(failed.Output, "since        2026-01-02 02:04:05 UTC, ", "reason       Unparsable");
        Assert.Equal(
            ("b-17", "print-of-b-17"),
            (Text(json.GetProperty("body"), "deliveryId"), Text(json.GetProperty("properties"), "fingerprint"))
        );
        Assert.All(await ListAsync(broker), letter => Assert.Equal(0, Deliveries(letter)));
        Assert.Equal(
            (2, $"No dead letter of {Main} on {broker.Host} has the id b-71. Did you mean b-17?"),
            (id.ExitCode, id.Error.TrimEnd())
        );
        Assert.Equal(2, queue.ExitCode);
        Assert.Matches(
            $"^There is no queue delivery-request on {broker.Host}. Did you mean delivery-requests[^\n]*$",
            queue.Error.TrimEnd()
        );
    }

    [Fact]
    public async Task Replay_sends_the_same_request_as_the_next_attempt_and_removes_the_dead_letter_if_the_queue_takes_it()
    {
        await using var broker = await DeadLettersOnBroker.StartAsync();
        await broker.DeadLetterAsync("a");
        await broker.DeadLetterAsync("b", attempt: 1);

        var (exitCode, output, _) = await broker.TypeAsync("replay", "b");

        Assert.Equal((0, $"1 of 1 dead letters of {Main} on {broker.Host} replayed."), (exitCode, output.Trim()));
        var sent = Assert.Single(await broker.TakeAllAsync());
        Assert.Equal(
            ("""{"deliveryId":"b"}""", "delivery-of-b", QueueMessage.ContentType),
            ($"{sent.Body}", sent.CorrelationId, sent.ContentType)
        );
        Assert.StartsWith("b~~dead-", sent.MessageId, StringComparison.Ordinal);
        Assert.Equal(
            [
                (QueueMessage.AttemptProperty, 2),
                (QueueMessage.FingerprintProperty, "print-of-b"),
                (QueueMessage.OperationProperty, "cancel"),
            ],
            sent.ApplicationProperties.Select(property => (property.Key, property.Value)).Order()
        );
        var left = Assert.Single(await ListAsync(broker));
        // What was before it was handed out once more.
        Assert.Equal(("a", 1), (Text(left, "id"), Deliveries(left)));

        broker.RefuseSends();
        var (failed, nothing, error) = await broker.TypeAsync("replay", "a");
        Assert.Equal((1, ""), (failed, nothing));
        Assert.StartsWith(broker.Host + ": ", error, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.TrimEnd());
        Assert.Equal("a", Text(Assert.Single(await ListAsync(broker)), "id"));
    }

    [Fact]
    public async Task More_than_a_page_is_listed_and_replay_of_all_empties_both_places_and_leaves_the_marks_of_a_failed_request_behind()
    {
        await using var broker = await DeadLettersOnBroker.StartAsync();
        var ids = Enumerable.Range(0, 252).Select(i => $"{i:000}").ToList();
        await broker.FailAsync(LongAgo, ids);
        for (var i = 0; i < 30; i++)
            await broker.DeadLetterAsync($"a{i}");

        var listed = await ListAsync(broker);
        var (exitCode, output, _) = await broker.TypeAsync("replay", "--all", "--json");

        Assert.Equal(0, exitCode);
        Assert.Equal(ids, listed.Take(ids.Count).Select(letter => Text(letter, "id")));
        var answer = JsonDocument.Parse(output).RootElement;
        Assert.Equal(
            (282, 0),
            (answer.GetProperty("replayed").GetArrayLength(), answer.GetProperty("left").GetArrayLength())
        );
        Assert.Empty(await ListAsync(broker));
        var sent = await broker.TakeAllAsync();
        Assert.Equal(282, sent.Select(message => message.CorrelationId).Distinct().Count());
        var failed = sent.Single(message => message.CorrelationId == "delivery-of-000");
        Assert.Equal(
            [QueueMessage.AttemptProperty, QueueMessage.FingerprintProperty, QueueMessage.OperationProperty],
            failed.ApplicationProperties.Keys.Order()
        );
    }

    /// <summary>If its dead letter could not be completed, it is sent a second time, and duplicate detection drops that.</summary>
    [Fact]
    public void The_same_dead_letter_has_the_same_replay_and_another_one_has_another()
    {
        var place = DeadLetterPlace.All(Main, Failed)[0];

        Assert.Equal("a~~dead-7", IdOf("a", 7));
        Assert.Equal("a~~dead-8", IdOf("a~~dead-7", 8));
        Assert.Equal(128, IdOf(new string('x', 128), 7).Length);
        Assert.EndsWith("x~~dead-7", IdOf(new string('x', 128), 7), StringComparison.Ordinal);

        string IdOf(string id, long number) =>
            ReplayMessage
                .Of(ServiceBusModelFactory.ServiceBusReceivedMessage(messageId: id, sequenceNumber: number), place)
                .MessageId!;
    }

    [Fact]
    public async Task What_another_receiver_holds_is_told_and_left()
    {
        await using var broker = await DeadLettersOnBroker.StartAsync();
        await broker.DeadLetterAsync("a");
        await broker.DeadLetterAsync("b");
        await using var other = await broker.HoldOldestAsync();

        var (exitCode, output, error) = await broker.TypeAsync("purge", "--all", "--dead", "--yes", "--json");

        Assert.Equal(1, exitCode);
        Assert.Equal(
            "1 could not be taken, a for example: another receiver holds them, or has taken them.",
            error.TrimEnd()
        );
        var answer = JsonDocument.Parse(output).RootElement;
        Assert.Equal(("b", "a"), ($"{answer.GetProperty("purged")[0]}", $"{answer.GetProperty("left")[0]}"));
    }

    [Fact]
    public async Task Purge_removes_only_what_somebody_has_agreed_to()
    {
        await using var broker = await DeadLettersOnBroker.StartAsync();
        await broker.DeadLetterAsync("a");
        await broker.DeadLetterAsync("b");
        string[] purge = ["deadletters", "purge", "b", "--dead", "--connection", broker.Connection];

        var unasked = await broker.TypeAsync("purge", "b", "--dead");
        var no = await LabInMemory.TypeAndAnswerAsync("n\n", purge);
        var before = await ListAsync(broker);
        var yes = await LabInMemory.TypeAndAnswerAsync("y\n", purge);

        var question = $"This removes 1 dead letters of {Main} on {broker.Host} for good";
        Assert.Equal((2, $"{question}. Add --yes to agree."), (unasked.ExitCode, unasked.Error.TrimEnd()));
        Assert.Equal((1, $"{question}. Do it? [y/N] Nothing was removed."), (no.ExitCode, no.Error.TrimEnd()));
        Assert.Equal(2, before.Count);
        Assert.Equal((0, $"{question}. Do it? [y/N] "), (yes.ExitCode, yes.Error));
        Assert.Equal("a", Text(Assert.Single(await ListAsync(broker)), "id"));
        Assert.Empty(await broker.TakeAllAsync());
    }

    [Fact]
    public async Task Purge_leaves_what_the_supervisor_has_still_to_undo_unless_that_is_asked_for()
    {
        await using var broker = await DeadLettersOnBroker.StartAsync();
        await broker.DeadLetterAsync("a");
        await broker.FailAsync(LongAgo, "c");
        const string Why =
            $"lies in {Main}/$DeadLetterQueue, where Workflow's supervisor has still to undo it. "
            + "--dead purges it all the same.";

        var one = await broker.TypeAsync("purge", "a", "--yes");
        var all = await broker.TypeAsync("purge", "--all", "--yes");
        var left = await ListAsync(broker);
        var dead = await broker.TypeAsync("purge", "--all", "--dead", "--yes");

        Assert.Equal((2, $"a {Why}"), (one.ExitCode, one.Error.TrimEnd()));
        Assert.Equal((0, $"1 stay, a for example: it {Why}"), (all.ExitCode, all.Error.TrimEnd()));
        Assert.Equal("a", Text(Assert.Single(left), "id"));
        Assert.Equal(0, dead.ExitCode);
        Assert.Empty(await ListAsync(broker));
    }

    private static async Task<IReadOnlyList<JsonElement>> ListAsync(DeadLettersOnBroker broker)
    {
        var (exitCode, output, _) = await broker.TypeAsync("list", "--json");
        Assert.Equal(0, exitCode);
        return [.. JsonDocument.Parse(output).RootElement.EnumerateArray()];
    }

    private static string? Text(JsonElement letter, string member) => letter.GetProperty(member).GetString();

    private static int Deliveries(JsonElement letter) => letter.GetProperty("deliveries").GetInt32();
}
