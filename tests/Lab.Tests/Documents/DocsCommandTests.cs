namespace DroneDelivery.Lab.Tests.Documents;

public sealed class DocsCommandTests
{
    [Fact]
    public async Task Nothing_that_docs_writes_has_drifted() =>
        Assert.Equal((0, "", ""), await LabInMemory.TypeAsync("docs", "--check"));
}
