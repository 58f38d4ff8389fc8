# The base of every image. Nothing builds this file: build/Containers.targets reads it, and Dependabot renews its digest.
FROM mcr.microsoft.com/dotnet/aspnet:10.0-noble-chiseled@sha256:48e51f2f6798897be7ac4e775c049ed8fe60d3190f637e1f9c9dc7513efa659c
