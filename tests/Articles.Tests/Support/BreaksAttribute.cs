namespace DroneDelivery.Articles.Tests.Support;

/// <summary>
/// Marks a test that breaks checks of experiments, each by one named mechanism: those that are named here, or in the data of a theory.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BreaksAttribute(params string[] checks) : Attribute
{
    public IReadOnlyList<string> Checks { get; } = checks;
}
