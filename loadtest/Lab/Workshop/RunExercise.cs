using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Workshop;

/// <summary>A question of the workshop that a run answers.</summary>
/// <param name="Stage">Whose load it is about.</param>
internal sealed record RunExercise(
    string Id,
    string Question,
    string Stage,
    string BeginWith,
    IReadOnlyList<string> MayTurn,
    IReadOnlyList<Condition<Attempt>> Conditions) : Exercise(Id, Question, BeginWith, MayTurn)
{
    public override string Find(string? name) => RunsOnDisk.Find(name);

    public override bool IsWhole(string folder) =>
        File.Exists(Path.Combine(folder, RunFolder.FileName)) && !RunFolder.IsPlayed(folder);

    public override bool IsAbout(string folder) => RunFolder.Read(folder).Stages.Any(stage => stage.Stage == Stage);

    public override IReadOnlyList<string> Moved(string before, string now) =>
        WhatMoved.Between(RunFolder.Read(before), RunFolder.Read(now), Stage);

    public override Task<IReadOnlyList<Finding>> CheckAsync(string folder, string? answer, CancellationToken cancellationToken) =>
        Task.FromResult(Check(Attempt.Of(this, RunFolder.Read(folder), answer)));

    public IReadOnlyList<Finding> Check(Attempt attempt) =>
        Look(attempt, Conditions, attempt.Run.Changed.Keys, "Play the stage as it is.");
}
