namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A k6 script on the application that <c>./lab serve</c> prepares for it.</summary>
internal static class ServedScript
{
    public static async Task<(int ExitCode, string Output, string Error)> RunAsync(
        string script,
        params string[] options
    )
    {
        await using var lab = new LabProcess();
        await lab.LaunchAsync(["serve", "--port-offset", $"{lab.PortOffset}", .. options]);
        return await Saying.RunAsync(
            "k6",
            "run",
            "--quiet",
            "--no-color",
            "--address",
            "",
            "-e",
            $"LAB=http://127.0.0.1:{5080 + lab.PortOffset}",
            K6Driver.ScriptPath(script)
        );
    }
}
