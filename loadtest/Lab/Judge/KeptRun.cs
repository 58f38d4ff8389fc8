namespace DroneDelivery.Lab.Judge;

/// <summary>A run that is on disk.</summary>
/// <param name="Folder">Its folder's name.</param>
/// <param name="HasReport">Whether <c>report.html</c> is in it.</param>
internal sealed record KeptRun(string Folder, RunRecord Run, bool HasReport);
