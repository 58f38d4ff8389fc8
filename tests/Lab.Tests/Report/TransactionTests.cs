namespace DroneDelivery.Lab.Tests.Report;

/// <summary>Steps are put below those that they belong to, whatever ids the telemetry has.</summary>
public sealed class TransactionTests
{
    [Fact]
    public void Steps_in_a_circle_of_parents_are_there_once_and_outside_of_all_others()
    {
        var transaction = Of(("root", null), ("a", "b"), ("b", "a"), ("inner", "root"));

        Assert.Equal([("root", 0), ("inner", 1), ("a", 0), ("b", 1)], transaction.Steps.Select(step => (step.Name, step.Depth)));
    }

    /// <summary>Where each child were added for each of its parents, there would be 2 to the power of 60 steps.</summary>
    [Fact]
    public void Ids_that_are_there_twice_do_not_multiply_what_is_below_them_and_any_number_may_be_inside_of_each_other()
    {
        var chain = Enumerable.Range(0, 50_000).Select(i => ($"s{i}", i == 0 ? null : $"s{i - 1}")).ToList();

        Assert.Equal(120, Of([.. chain.Take(60).SelectMany(step => new[] { step, step })]).Steps.Count);
        Assert.Equal(49_999, Of([.. chain]).Steps[^1].Depth);
    }

    [Fact]
    public void Each_of_several_transactions_has_its_own_steps()
    {
        var store = new TelemetryStore();
        Add(store, "o1", "one", null, 0);
        Add(store, "o2", "two", null, 1);
        Add(store, "o2", "inner", "two", 2);

        var all = Transaction.AllOf(
            new RunTelemetry(store.Snapshot()).AskAll(
                TransactionQuery.Of(["o1", "o2"]), DateTimeOffset.MaxValue, cancellationToken: Cancel));

        Assert.Equal(["one", "two inner"], all.Select(it => string.Join(' ', it.Steps.Select(step => step.Name))));
        Assert.Equal(1000, (all[1].Start - all[0].Start).TotalMilliseconds);
    }

    private static Transaction Of(params (string Id, string? Parent)[] steps)
    {
        var store = new TelemetryStore();
        foreach (var (i, (id, parent)) in steps.Index())
            Add(store, "o", id, parent, i);
        return Transaction.Of(
            new RunTelemetry(store.Snapshot()).AskAll(TransactionQuery.Of(["o"]), DateTimeOffset.MaxValue))!;
    }

    private static void Add(TelemetryStore store, string operation, string id, string? parent, int second) =>
        SentItem.AddStep(store, ImitatedRun.Start.AddSeconds(second), operation, id, name: id, seconds: 1, parent: parent);
}
