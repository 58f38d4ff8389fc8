namespace Azure.Messaging.ServiceBus.Tests.Support;

/// <summary>Subscribers see the whole process: tests of what they see, and of what happens without one, run alone.</summary>
[CollectionDefinition(nameof(WithoutOtherListeners), DisableParallelization = true)]
public sealed class WithoutOtherListeners;
