using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Experiments;

/// <summary>What is kept of experiments, under <c>artifacts/experiments</c>: <c>experiment.json</c> and <c>report.html</c>.</summary>
internal static class ExperimentFolder
{
    public const string FileName = "experiment.json", Report = "report.html";

    public static string Of(DateTimeOffset now, string what) =>
        Path.Combine(Repository.Artifacts, "experiments", $"{now.ToLocalTime():yyyy-MM-ddTHH-mm-ss}-{what}");

    /// <exception cref="LabException">The disk is full, or the folder cannot be written.</exception>
    public static void Write(string folder, IReadOnlyList<ExperimentRecord> records)
    {
        RunFolder.WritePage(folder, FileName, ExperimentRecord.ToJson(records));
        RunFolder.WritePage(folder, Report, ExperimentReport.Render(records));
    }
}
