namespace DroneDelivery.Lab.Tests.Commands;

public sealed class ServedReportTests
{
    [Fact]
    public async Task A_run_is_served_with_all_of_its_telemetry_until_it_is_ended()
    {
        await using var lab = new LabProcess();
        var folder = Path.Combine(lab.Artifacts, "runs", "2030-01-01T08-00-00-4");
        await ImitatedRun.KeepAsync(folder);
        using var http = Loopback.CreateClient();
        var (process, line) = await lab.LaunchAsync("report", folder, "--serve", "--port", "0");
        http.BaseAddress = new Uri(line.Split(' ')[1]);

        var page = await http.GetStringAsync("/", Cancel);
        foreach (var part in (string[])["; connect-src ", "<section class=\"page\" id=\"stage-4\"", "id=\"kql\""])
            Assert.Contains(part, page, StringComparison.Ordinal);
        using var answer = await http.PostAsync("/query", new StringContent("stages | count"), Cancel);
        Assert.Contains(
            "<td class=\"number\">1</td>",
            await answer.Content.ReadAsStringAsync(Cancel),
            StringComparison.Ordinal
        );
        http.DefaultRequestHeaders.Add("Origin", "http://elsewhere.test");
        using var refused = await http.PostAsync("/query", new StringContent("requests | count"), Cancel);
        Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);

        Signals.Terminate(process.Id);
        await process.WaitForExitAsync(Cancel);
        Assert.Equal(0, process.ExitCode);
    }

    [Fact]
    public async Task Server_names_the_option_that_helps_when_its_port_is_taken()
    {
        await using var first = await ServedPage.StartAsync(port: 0, mostBytes: 0, _ => { }, Cancel);

        var error = await Assert.ThrowsAsync<LabException>(() =>
            ServedPage.StartAsync(first.Address.Port, mostBytes: 0, _ => { }, Cancel)
        );

        Assert.Contains("--port 0", error.Message, StringComparison.Ordinal);
    }
}
