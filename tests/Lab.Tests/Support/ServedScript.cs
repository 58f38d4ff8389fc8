namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A k6 script that runs on the application of <c>./lab serve</c>.</summary>
internal static class ServedScript
{
    public static async Task<(int ExitCode, string Output, string Error)> RunAsync(
        string script,
        params string[] options
    )
    {
        await using var lab = new LabProcess();
        await lab.LaunchAsync(["serve", "--port-offset", $"{lab.PortOffset}", .. options]);
        return await TestProcess.RunAsync(
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
