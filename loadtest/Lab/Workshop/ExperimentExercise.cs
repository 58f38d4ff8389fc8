using DroneDelivery.Lab.Experiments;

namespace DroneDelivery.Lab.Workshop;

/// <summary>A question about an article that an experiment answers, together with what was predicted.</summary>
/// <param name="Variant">The one that is asked about.</param>
internal sealed record ExperimentExercise(
    string Id,
    string Question,
    string Experiment,
    string Variant,
    IReadOnlyList<string> MayTurn,
    IReadOnlyList<Condition<ExperimentAttempt>> Conditions)
    : Exercise(Id, Question, $"experiment {Experiment} {Variant}", MayTurn)
{
    public override string Find(string? name) =>
        name is null ? ExperimentsOnDisk.NewestOf(Experiment, $"./lab {BeginWith}") : ExperimentsOnDisk.Find(name);

    public override IReadOnlyList<string> Moved(string before, string now) =>
        WhatMoved.Between(ExperimentsOnDisk.Read(before), ExperimentsOnDisk.Read(now));

    public override Task<IReadOnlyList<Finding>> CheckAsync(string folder, string? answer, CancellationToken cancellationToken) =>
        Task.FromResult(Check(ExperimentAttempt.Of(this, ExperimentsOnDisk.Read(folder), answer)));

    public IReadOnlyList<Finding> Check(ExperimentAttempt attempt) =>
        Look(attempt, Conditions, attempt.Record.Changed.Keys, "Play the experiment as it is.");
}
