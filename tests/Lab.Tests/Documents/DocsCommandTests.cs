namespace DroneDelivery.Lab.Tests.Documents;

/// <summary>What pages, the chart and skaffold.yaml repeat is what the code says; <c>./lab docs</c> writes it.</summary>
public sealed class DocsCommandTests
{
    [Fact]
    public async Task Nothing_that_docs_writes_has_drifted() =>
        Assert.Equal((0, "", ""), await LabInMemory.TypeAsync("docs", "--check"));
}
