namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// The summary of <c>loadtest/k6/smoke.js</c>, which checks twice per delivery: that it is accepted, and that it is
/// completed.
/// </summary>
internal static class SmokeSummary
{
    public static (int Succeeded, int All) ChecksOf(string output)
    {
        var checks = Regex.Match(output, @"checks_succeeded\.+: [\d.]+% +(\d+) out of (\d+)");
        Assert.True(checks.Success, output);
        return (int.Parse(checks.Groups[1].ValueSpan), int.Parse(checks.Groups[2].ValueSpan));
    }

    public static void RequireK6() => Assert.SkipWhen(Executable.OnPath("k6") is null, "k6 is not installed");
}
